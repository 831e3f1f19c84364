"""What organisers announce."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BeforeValidator, Field, TypeAdapter

from leaderboard.schemas.base import NotNull, Strict
from leaderboard.schemas.texts import Line, trimmed

LONGEST_TITLE: Final = 200
LONGEST_ANNOUNCEMENT: Final = 20_000


class NewAnnouncement(Strict):
    """An announcement of a challenge."""

    title: Annotated[str, Line(LONGEST_TITLE), BeforeValidator(trimmed)]
    text: Annotated[str, Field(max_length=LONGEST_ANNOUNCEMENT)] = Field(
        default="", description="Markdown."
    )


class AnnouncementChange(Strict):
    """A change of an announcement: the fields that are sent."""

    title: Annotated[str | None, NotNull(), Line(LONGEST_TITLE), BeforeValidator(trimmed)] = None
    text: Annotated[str | None, NotNull(), Field(max_length=LONGEST_ANNOUNCEMENT)] = Field(
        default=None, description="Markdown."
    )


NEW_ANNOUNCEMENT: Final = TypeAdapter(NewAnnouncement)
ANNOUNCEMENT_CHANGE: Final = TypeAdapter(AnnouncementChange)
