"""Checks large lists and objects in slices, and ends at the first 20 errors.

Wrong parts take more time and memory than correct ones, so the check stops early.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticKnownError

from leaderboard.schemas.errors import (
    MAX_ERRORS,
    SchemaError,
    WrongPart,
    WrongPlace,
    as_schema_error,
    joined,
)

SLICE: Final = 200
"""Parts that are checked at once."""

T = TypeVar("T")


def checked_items(schema: TypeAdapter[list[T]], items: Sequence[Any]) -> Iterator[list[T]]:
    """Slices of a list, as the schema's type.

    Raises SchemaError after them for the first 20 wrong places, by path within the list.
    """
    errors: list[WrongPlace] = []
    for start in range(0, len(items), SLICE):
        try:
            yield schema.validate_python(items[start : start + SLICE])
        except ValidationError as error:
            errors += _moved(as_schema_error(error, schema.core_schema), start)
            if len(errors) >= MAX_ERRORS:
                break
    _complain(errors)


def checked_fields(
    schema: TypeAdapter[dict[str, T]], fields: Mapping[str, Any]
) -> Iterator[dict[str, T]]:
    """Slices of an object with any names, as the schema's type.

    Raises SchemaError after them for the first 20 wrong places.
    """
    errors: list[WrongPlace] = []
    rest = iter(fields.items())
    while some := dict(islice(rest, SLICE)):
        try:
            yield schema.validate_python(some)
        except ValidationError as error:
            errors += as_schema_error(error, schema.core_schema).errors
            if len(errors) >= MAX_ERRORS:
                break
    _complain(errors)


def _moved(error: SchemaError, start: int) -> Iterator[WrongPlace]:
    """The errors of a slice that begins at an index."""
    for path, text in error.errors:
        index, _, rest = path.partition(".")
        yield WrongPlace(joined(start + int(index), rest), text)


def _complain(errors: Sequence[WrongPlace]) -> None:
    if errors:
        raise SchemaError(errors[:MAX_ERRORS])


def at_most(most: int) -> Callable[[Any], Any]:
    """A validator that refuses an object with too many fields, before its fields are checked."""

    def check(value: Any) -> Any:
        if isinstance(value, Mapping) and len(value) > most:
            sizes = {"field_type": "Dictionary", "max_length": most, "actual_length": len(value)}
            raise PydanticKnownError("too_long", sizes)
        return value

    return check


def part(read: Callable[[Any], T]) -> Callable[[Any], T]:
    """A validator made from a reader that raises SchemaError; its errors keep their paths."""

    def validate(value: Any) -> T:
        try:
            return read(value)
        except SchemaError as error:
            raise _nested(error.errors) from None

    return validate


def _nested(errors: Iterable[WrongPlace]) -> ValidationError:
    """The errors as one ValidationError that pydantic adds to its own."""
    return ValidationError.from_exception_data(
        "part",
        [
            {"type": "value_error", "input": None, "ctx": {"error": WrongPart(*error)}}
            for error in errors
        ],
    )
