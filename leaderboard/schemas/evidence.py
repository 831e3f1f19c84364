"""Evidence that is added to an attempt: a file beside it, or a link."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter, model_validator

from leaderboard.rules.texts.messages import message
from leaderboard.schemas.base import Strict
from leaderboard.schemas.errors import WrongPart
from leaderboard.schemas.marks import OutsideLink

AddedKind = Literal["trajectory", "log", "diff", "other"]


class NewEvidence(Strict):
    """What the evidence is, and of which sample."""

    kind: Annotated[AddedKind, Field(description="What it is.")]
    task: Annotated[
        str, Field(max_length=255, description="Of the sample; empty: of the whole attempt.")
    ] = ""
    sample: Annotated[
        Annotated[int, Field(ge=0)] | None, Field(description="The number of the sample.")
    ] = None
    url: OutsideLink = Field(
        default="", description="A page that shows it, instead of a file; http or https."
    )

    @model_validator(mode="after")
    def _names_one_sample(self) -> NewEvidence:
        if self.task and self.sample is None:
            raise WrongPart("sample", message("must be the number of a sample; got nothing"))
        if self.sample is not None and not self.task:
            raise WrongPart("task", message("must name the task of the sample; got nothing"))
        return self


NEW_EVIDENCE: Final = TypeAdapter(NewEvidence)
