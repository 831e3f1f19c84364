"""Disqualifying a participant, and what its members answer."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BeforeValidator, Field, TypeAdapter

from leaderboard.schemas.base import Strict
from leaderboard.schemas.texts import Line, trimmed

LONGEST_APPEAL: Final = 5_000


class Disqualification(Strict):
    """Why a participant has no rank in a challenge any more."""

    reason: Annotated[str, Line(300), BeforeValidator(trimmed)] = Field(
        description="Everybody reads it on the board."
    )


class Appeal(Strict):
    """The answer of a disqualified participant, for organisers."""

    text: Annotated[str, Field(min_length=1, max_length=LONGEST_APPEAL), BeforeValidator(trimmed)]


DISQUALIFICATION: Final = TypeAdapter(Disqualification)
APPEAL: Final = TypeAdapter(Appeal)
