"""The rewards that a challenge declares: `[{"name": "physics_reward", "min": 0, "max": 100}]`."""

from __future__ import annotations

from math import inf
from typing import Annotated, Final, Self

from pydantic import AfterValidator, Field, TypeAdapter, model_validator

from leaderboard.rules.rewards.intervals import Interval
from leaderboard.rules.rewards.samples import MAX_NAME, MAX_REWARDS
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.base import STRICT, Accepts, Items, Strict
from leaderboard.schemas.errors import WrongPart, checked
from leaderboard.schemas.texts import EachOnce, Line

MAX_JUDGED: Final = 20

Bound = Annotated[float | None, Field(description="Null: not known.")]
RewardName = Annotated[str, Line(MAX_NAME, trimmed=False)]


class DeclaredReward(Strict):
    """A reward and the lowest and the highest number that it can be; None: not known."""

    name: RewardName
    min: Bound = None
    max: Bound = None

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.min is not None and self.max is not None and self.min >= self.max:
            text = message(
                "must be above min; got min {low} and max {high}",
                low=f"{self.min:.12g}",
                high=f"{self.max:.12g}",
            )
            raise WrongPart("max", text)
        return self

    @property
    def bounds(self) -> Interval:
        return (-inf if self.min is None else self.min, inf if self.max is None else self.max)

    def holds(self, value: float) -> bool:
        low, high = self.bounds
        return low <= value <= high

    @property
    def range(self) -> str:
        """`from 0 to 100`, `0 or more`, `100 or less`; "" where nothing is declared."""
        match self.min, self.max:
            case None, None:
                return ""
            case low, None:
                return message("{low} or more", low=f"{low:.12g}")
            case None, high:
                return message("{high} or less", high=f"{high:.12g}")
            case low, high:
                return message("from {low} to {high}", low=f"{low:.12g}", high=f"{high:.12g}")


def _declared_once(rewards: tuple[DeclaredReward, ...]) -> tuple[DeclaredReward, ...]:
    names: set[str] = set()
    for index, reward in enumerate(rewards):
        if reward.name in names:
            text = message("must be declared once; got {name} twice", name=sent(reward.name))
            raise WrongPart(f"{index}.name", text)
        names.add(reward.name)
    return rewards


JudgedRewards = Annotated[tuple[RewardName, ...], Items(MAX_JUDGED), EachOnce()]

DeclaredRewards = Annotated[
    tuple[
        Annotated[DeclaredReward, Accepts(message('must be an object {{"name", "min", "max"}}'))],
        ...,
    ],
    Items(MAX_REWARDS),
    AfterValidator(_declared_once),
]
DECLARED_REWARDS: Final[TypeAdapter[tuple[DeclaredReward, ...]]] = TypeAdapter(
    DeclaredRewards, config=STRICT
)


def parse_rewards(entries: object) -> tuple[DeclaredReward, ...]:
    """The declared rewards of a challenge, from the JSON value of its field `rewards`.

    Raises SchemaError with the paths of the wrong places.
    """
    return checked(DECLARED_REWARDS, entries, "rewards")
