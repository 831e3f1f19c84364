"""Notices of a user."""

from __future__ import annotations

from typing import Annotated, Final
from uuid import UUID

from pydantic import Field, TypeAdapter

from leaderboard.schemas.base import Strict

MOST_READ: Final = 500


class ReadNotices(Strict):
    """Which notices the user has read."""

    ids: list[Annotated[UUID, Field(strict=False)]] | None = Field(
        default=None, max_length=MOST_READ, description="Their ids; without it, all."
    )


READ_NOTICES: Final = TypeAdapter(ReadNotices)
