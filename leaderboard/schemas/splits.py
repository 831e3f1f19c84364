"""The split of a challenge: `{"public": ["task-1"]}`, `{"share": 0.5, "seed": "spring"}` or
`{"column": "Usage"}`."""

from __future__ import annotations

from typing import Annotated, Final, Self

from pydantic import ConfigDict, Field, model_validator

from leaderboard.rules.json.stored import StoredSplit
from leaderboard.rules.texts.messages import message
from leaderboard.schemas.base import Accepts, Items, NotNull, Strict
from leaderboard.schemas.errors import WrongPart
from leaderboard.schemas.rewards import RewardName
from leaderboard.schemas.texts import EachOnce, Line

MAX_NAMES: Final = 10_000
MAX_SEED: Final = 120


class ChallengeSplit(Strict):
    """Which tasks, instances or rows are public: a list, a share that a seed selects, or a column
    of the truth of predictions."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [{"required": ["public"]}, {"required": ["share"]}, {"required": ["column"]}]
        }
    )

    public: Annotated[
        Annotated[tuple[RewardName, ...], Items(MAX_NAMES, least=1), EachOnce()] | None,
        NotNull(),
        Field(description="Names of tasks, or ids of instances."),
    ] = None
    share: Annotated[
        Annotated[
            float, Field(gt=0, lt=1), Accepts(message("must be a number above 0 and below 1"))
        ]
        | None,
        NotNull(),
        Field(description="The share that is public, above 0 and below 1."),
    ] = None
    seed: Annotated[
        str, Line(MAX_SEED, least=0), Field(description="Another seed selects other tasks.")
    ] = ""
    column: Annotated[
        Annotated[str, Line(MAX_SEED)] | None,
        NotNull(),
        Field(description="A column of the truth: Public, Private or Ignored in each row."),
    ] = None

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        forms = [form for form in (self.public, self.share, self.column) if form is not None]
        if len(forms) != 1:
            raise ValueError(
                message('must have one of "public", "share" and "column"; got several')
                if forms
                else message('must have one of "public", "share" and "column"; got none')
            )
        if self.share is None and self.seed:
            raise WrongPart("seed", message("must be absent without share; got both"))
        return self

    def as_json(self) -> StoredSplit:
        """The split as a scoring config stores it."""
        if self.column is not None:
            return {"column": self.column}
        if self.share is not None:
            return {"share": self.share, "seed": self.seed}
        return {"public": list(self.public or ())}
