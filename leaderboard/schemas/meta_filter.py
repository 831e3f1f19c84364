"""What a client asks of a declared field of meta: `{"max": 7}`, `true`, `"MIT"`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter, model_validator
from pydantic_core import PydanticCustomError

from leaderboard.rules.texts.messages import message
from leaderboard.rules.visibility.meta_values import MetaField, MetaTest, is_date, is_number
from leaderboard.schemas.base import STRICT, Accepts, Strict
from leaderboard.schemas.errors import checked


def _flag_as_text(value: object) -> object:
    """A truth value as meta has it; anything else as it is."""
    return str(value).lower() if isinstance(value, bool) else value


def _number_as_text(value: object) -> object:
    counts = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:.15g}" if counts else value


def _true_as_text(value: object) -> object:
    return "true" if value is True else value


def _number(text: str) -> str:
    if text and not is_number(text):
        raise PydanticCustomError("not_a_number", "not a number")
    return text


def _day(text: str) -> str:
    if text and not is_date(text):
        raise PydanticCustomError("not_a_day", "not a day")
    return text


Number = Annotated[
    str,
    AfterValidator(_number),
    BeforeValidator(_number_as_text),
    Accepts(message("must be a number")),
]
DayText = Annotated[str, AfterValidator(_day), Accepts(message("must be a day such as 2026-11-20"))]


class _Ends(Strict):
    """The least and the largest value, at least one of them; "" and null are no bound."""

    min: Any = None
    max: Any = None

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        if not (self.min or self.max):
            raise ValueError(message("must have min or max; got neither"))
        return self


class NumberRange(_Ends):
    """From a least to a largest number."""

    min: Number | None = None
    max: Number | None = None


class DateRange(_Ends):
    """From a first to a last day."""

    min: DayText | None = None
    max: DayText | None = None


TEXT: Final = TypeAdapter(
    Annotated[
        str,
        Field(min_length=1),
        BeforeValidator(_flag_as_text),
        Accepts(message("must be a text")),
    ],
    config=STRICT,
)
FILTERS: Final[Mapping[str, TypeAdapter[Any]]] = {
    "number": TypeAdapter(
        Annotated[NumberRange, Accepts(message("must be an object with the numbers min or max"))]
    ),
    "date": TypeAdapter(
        Annotated[
            DateRange,
            Accepts(message("must be an object with the days min or max, such as 2026-11-20")),
        ]
    ),
    "boolean": TypeAdapter(
        Annotated[
            Literal["true", "false"],
            BeforeValidator(_flag_as_text),
            Accepts(message("must be true or false")),
        ],
        config=STRICT,
    ),
    "link": TypeAdapter(
        Annotated[
            Literal["true"], BeforeValidator(_true_as_text), Accepts(message("must be true"))
        ],
        config=STRICT,
    ),
    "text": TEXT,
    "choice": TEXT,
    "command": TEXT,
}
"""What is accepted for a field, by its type."""


def meta_test(field: MetaField, value: object) -> MetaTest:
    """The test of a field that a client asks for. Raises SchemaError; its path is the field."""
    wanted = checked(FILTERS[field.type], value, field.name)
    if isinstance(wanted, _Ends):
        return MetaTest(field.name, field.type, "", wanted.min or "", wanted.max or "")
    return MetaTest(field.name, field.type, wanted)
