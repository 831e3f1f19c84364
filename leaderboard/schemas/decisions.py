"""Decisions about attempts, as reviewers and participants send them."""

from __future__ import annotations

from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import Field, TypeAdapter, model_validator

from leaderboard.rules.texts.messages import message
from leaderboard.schemas.base import Strict
from leaderboard.schemas.errors import WrongPart

LONGEST: Final = 2000
MOST_ATTEMPTS: Final = 200

SentDecisionKind = Literal[
    "accepted",
    "returned",
    "received",
    "counts_zero",
    "left_out",
    "infrastructure",
    "appealed",
    "answered",
    "undone",
]
RULINGS: Final = ("counts_zero", "left_out", "infrastructure")
OF_PARTICIPANTS: Final = ("received", "appealed")
"""What the participant of an attempt sends, not those who decide."""
ABOUT_ANOTHER: Final = ("appealed", "answered", "undone")


class DecisionBody(Strict):
    """A decision about an attempt, or what its participant answers to one."""

    kind: Annotated[
        SentDecisionKind,
        Field(
            description="`received`: the participant of an attempt that was returned or not"
            " admitted asks for a review."
        ),
    ]
    reason: Annotated[
        str,
        Field(max_length=LONGEST, description="Public. Needed for all but `accepted`."),
    ] = ""
    note: Annotated[str, Field(max_length=LONGEST, description="For organisers.")] = ""
    task: Annotated[
        str, Field(max_length=255, description="For a ruling: the task of the sample.")
    ] = ""
    sample: Annotated[
        Annotated[int, Field(ge=0)] | None, Field(description="For a ruling: its number.")
    ] = None
    decision: Annotated[
        Annotated[int, Field(ge=1)] | None,
        Field(description="The decision that is appealed, answered or undone."),
    ] = None

    @model_validator(mode="after")
    def _is_complete(self) -> DecisionBody:
        if self.kind != "accepted" and not self.reason.strip():
            raise WrongPart("reason", message("must say why; got nothing"))
        if self.kind in RULINGS and (not self.task or self.sample is None):
            raise WrongPart("task", message("must name a sample, with its number in sample"))
        if self.kind in ABOUT_ANOTHER and self.decision is None:
            raise WrongPart("decision", message("must name the decision; got nothing"))
        return self


class AcceptedAttempts(Strict):
    """Attempts that meet all rules, to be accepted together."""

    attempts: Annotated[
        list[Annotated[UUID, Field(strict=False)]], Field(min_length=1, max_length=MOST_ATTEMPTS)
    ]


DECISION: Final = TypeAdapter(DecisionBody)
ACCEPTED_ATTEMPTS: Final = TypeAdapter(AcceptedAttempts)
