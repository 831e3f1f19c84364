"""Extra attempts that organisers give to a participant, or to all."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BeforeValidator, Field, TypeAdapter

from leaderboard.schemas.base import Strict
from leaderboard.schemas.texts import Line, trimmed

MOST_EXTRA: Final = 1_000_000


class NewGrant(Strict):
    """Extra attempts for one participant, or for all, in a phase, on top of each of its limits."""

    participant: Annotated[str | None, Field(max_length=140)] = Field(
        description="The slug of a participant of the challenge; null: all participants."
    )
    phase: Annotated[str, Field(max_length=80)] = Field(description="The slug of a phase.")
    extra: Annotated[
        int,
        Field(
            ge=0,
            le=MOST_EXTRA,
            description="How many; 0 only gives more time, with an `until` after the end.",
        ),
    ]
    until: Annotated[str | None, Field(max_length=40)] = Field(
        default=None,
        description="The first moment at which they no longer count; without an offset in the time "
        "zone of the phase. If it lies after the end of the phase, the phase stays open for this "
        "participant until then. Null: they always count.",
    )
    reason: Annotated[str, Line(300), BeforeValidator(trimmed)]


NEW_GRANT: Final = TypeAdapter(NewGrant)
