"""Whether the row of a participant competes."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field, TypeAdapter

from leaderboard.schemas.base import Strict
from leaderboard.schemas.choices import RowKind


class ParticipantRow(Strict):
    """What the row of a participant is on the boards of a challenge."""

    row: Annotated[RowKind, Field(strict=False)] = Field(
        description="`ranked`, or out of the ranking: shown in its place, without a rank."
    )


PARTICIPANT_ROW: Final = TypeAdapter(ParticipantRow)
