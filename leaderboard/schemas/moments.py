"""Dates and times in JSON."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

from pydantic import (
    PlainValidator,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.base import Accepts

EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
CLOCK_SKEW: Final = timedelta(minutes=5)


_SPACE: Final = re.compile(r"\s+(?=[-+][0-9:]+$|Z$)")
"""Before an offset, as some programs write it."""


def _moment(value: object) -> datetime:
    """A time in UTC; one without an offset is refused."""
    try:
        moment = datetime.fromisoformat(_SPACE.sub("", value)) if isinstance(value, str) else None
        if moment is not None and moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise PydanticCustomError("not_a_moment", "not a moment")


def _was_possible(value: object, read: ValidatorFunctionWrapHandler) -> datetime:
    moment: datetime = read(value)
    if not EARLIEST <= moment <= datetime.now(UTC) + CLOCK_SKEW:
        raise ValueError(message("must be between 1970 and now; got {sent}", sent=sent(value)))
    return moment


Moment = Annotated[
    datetime,
    PlainValidator(_moment),
    WithJsonSchema({"type": "string", "format": "date-time"}),
    Accepts(message("must be a date and time with its offset, like 2026-11-20T08:00:00Z")),
]
"""An ISO 8601 date and time of day with its offset from UTC."""

PastMoment = Annotated[Moment, WrapValidator(_was_possible)]
"""The time of a past event."""
