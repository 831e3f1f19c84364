"""The rewards that a challenge declares: `[{"name": "physics_reward", "min": 0, "max": 100}]`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from math import inf, isfinite
from typing import Any, Final, NamedTuple

from leaderboard.rules.intervals import Interval
from leaderboard.rules.spec_names import SpecError

FIELDS: Final = ("name", "min", "max")
MAX_REWARDS: Final = 500
MAX_NAME: Final = 255


class DeclaredReward(NamedTuple):
    """A reward and the lowest and the highest number that it can be; None: not known."""

    name: str
    min: float | None = None
    max: float | None = None

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
                return f"{low:.12g} or more"
            case None, high:
                return f"{high:.12g} or less"
            case low, high:
                return f"from {low:.12g} to {high:.12g}"


def parse_rewards(entries: object, at: str = "rewards") -> tuple[DeclaredReward, ...]:
    """The declared rewards of a challenge, from the JSON value of its field `rewards`.

    Raises SpecError, with the path of the field, for the first wrong one.
    """
    if not isinstance(entries, list | tuple):
        raise SpecError(at, f"must be a list; got {_kind(entries)}")
    if len(entries) > MAX_REWARDS:
        raise SpecError(at, f"must have at most {MAX_REWARDS} rewards; got {len(entries)}")
    rewards: dict[str, DeclaredReward] = {}
    for index, entry in enumerate(entries):
        reward = _parsed(f"{at}.{index}", entry)
        if reward.name in rewards:
            raise SpecError(f"{at}.{index}.name", f"{reward.name} is declared twice")
        rewards[reward.name] = reward
    return tuple(rewards.values())


def _parsed(at: str, entry: object) -> DeclaredReward:
    if not isinstance(entry, Mapping):
        raise SpecError(at, f'must be an object {{"name", "min", "max"}}; got {_kind(entry)}')
    for field in entry:
        if field not in FIELDS:
            wrong = f"unknown field; known: {', '.join(FIELDS)}"
            raise SpecError(f"{at}.{str(field)[:MAX_NAME]}", wrong)
    name = entry.get("name")
    if not isinstance(name, str) or not 1 <= len(name) <= MAX_NAME or not name.isprintable():
        wrong = f"must be a text of 1 to {MAX_NAME} visible characters"
        raise SpecError(f"{at}.name", wrong)
    low, high = _end(f"{at}.min", entry.get("min")), _end(f"{at}.max", entry.get("max"))
    if low is not None and high is not None and low >= high:
        raise SpecError(f"{at}.max", f"must be above min; got min {low:.12g} and max {high:.12g}")
    return DeclaredReward(name, low, high)


def _end(at: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        with suppress(OverflowError):  # of a whole number beyond every float
            if isfinite(number := float(value)):
                return number
    raise SpecError(at, f"must be a finite number or null; got {_kind(value)}")


def _kind(value: object) -> str:
    """What was sent, short enough for an error."""
    return repr(value)[:40] if isinstance(value, str | int | float) else type(value).__name__
