"""Extra attempts that organisers give to a participant."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BeforeValidator, Field, TypeAdapter

from leaderboard.schemas.base import Strict
from leaderboard.schemas.texts import Line, trimmed

MOST_EXTRA: Final = 1_000_000


class NewGrant(Strict):
    """Extra attempts for one participant in a phase, on top of each of its limits."""

    participant: Annotated[str, Field(max_length=140)] = Field(
        description="The slug of a participant of the challenge."
    )
    phase: Annotated[str, Field(max_length=80)] = Field(description="The slug of a phase.")
    extra: Annotated[int, Field(ge=1, le=MOST_EXTRA)]
    until: Annotated[str | None, Field(max_length=40)] = Field(
        default=None,
        description="The first moment at which they no longer count; without an offset in the time "
        "zone of the phase. Null: they always count.",
    )
    reason: Annotated[str, Line(300), BeforeValidator(trimmed)]


NEW_GRANT: Final = TypeAdapter(NewGrant)
