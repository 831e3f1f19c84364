"""What organisers say of an attempt: who has verified it, and annotations."""

from __future__ import annotations

from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter
from pydantic_core import PydanticCustomError

from leaderboard.rules.texts.messages import message
from leaderboard.schemas.base import Accepts, Strict
from leaderboard.schemas.texts import Line, trimmed

LONGEST_LINK: Final = 500
LONGEST_TEXT: Final = 5_000


def _web_address(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_one = False
    if text and not (
        is_one and len(text) <= LONGEST_LINK and text.isprintable() and " " not in text
    ):
        raise PydanticCustomError("not_a_web_address", "not a web address")
    return text


OutsideLink = Annotated[
    str,
    AfterValidator(_web_address),
    Accepts(
        message("must be empty or a web address of at most {most} characters", most=LONGEST_LINK)
    ),
    BeforeValidator(trimmed),
]
"""A page on another server, http or https; or ""."""


class NewVerification(Strict):
    """Who has checked an attempt, and where this is told."""

    by: Annotated[str, Line(120, least=0), BeforeValidator(trimmed)] = Field(
        default="", description="Who has checked it, as readers see it. Empty: you."
    )
    link: OutsideLink = Field(
        default="", description="A page that tells how it was checked; http or https."
    )


class NewAnnotation(Strict):
    """A note of an organiser about an attempt."""

    text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT), BeforeValidator(trimmed)]
    public: bool = Field(
        default=False,
        description="Whether everybody who may see the attempt reads it; otherwise organisers do.",
    )


NEW_VERIFICATION: Final = TypeAdapter(NewVerification)
NEW_ANNOTATION: Final = TypeAdapter(NewAnnotation)
