"""The rules of admission of a challenge, as organisers send them."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter, model_validator

from leaderboard.rules.texts.messages import message
from leaderboard.schemas.base import Strict
from leaderboard.schemas.errors import WrongPart
from leaderboard.schemas.moments import Moment


class AdmissionRules(Strict):
    """New rules of a challenge: a list, or a preset."""

    rules: Annotated[
        list[Any] | None,
        Field(description="Each an object with its kind under `rule`, and that kind's settings."),
    ] = None
    preset: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=40,
            description="In place of rules: `terminal-bench-2`, `class`, `open`.",
        ),
    ] = None
    since: Annotated[
        Moment | None,
        Field(description="Only attempts that arrived from then on are judged; null: all."),
    ] = None

    @model_validator(mode="after")
    def _has_one(self) -> AdmissionRules:
        if (self.rules is None) == (self.preset is None):
            raise WrongPart(
                "rules", message("must be given, or a preset in their place, and not both")
            )
        return self


ADMISSION_RULES: Final = TypeAdapter(AdmissionRules)
