"""A JSON value with its position, so that errors can name the place.

The text is read leniently (other tools write NaN and numbers of any length into places that do
not matter here) and each value strictly, when it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from typing import Any, Final

from leaderboard.importers.reading.errors import ImportFailed, legible
from leaderboard.rules.json.strict import MAX_DEPTH, InvalidJSON, Twice, parse_foreign
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import with_sent

MAX_COUNT: Final = 10**15
MAX_FINITE: Final = 1e308
MAX_NAME: Final = 255
MAX_FIELD: Final = 120
"""The most characters of a field, because fields become parts of metrics' names."""

ValuePath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class JsonValue:
    """A value within a JSON document; an absent one has the value None."""

    value: Any
    file: str
    line: int = 0
    path: ValuePath = ()

    def __getitem__(self, key: str | int) -> JsonValue:
        """A field of an object, or an item of a list; an absent one if there is none."""
        if isinstance(key, int):
            items = self.value if isinstance(self.value, list) else ()
            return self._at(key, items[key] if key < len(items) else None)
        return self._at(key, None if self.value is None else self._object().get(key))

    def __contains__(self, key: str) -> bool:
        """Whether the object has this field; False for a value that is not an object."""
        return isinstance(self.value, dict) and key in self.value

    def at(self, path: str) -> JsonValue:
        """The value at a path of fields, `config.model.name`; absent if one of them is."""
        part = self
        for name in path.split("."):
            part = part[name]
        return part

    def fields(self, length: int = MAX_FIELD) -> Iterator[tuple[str, JsonValue]]:
        """Yield name and value of each field; nothing if absent. length: the longest name."""
        if self.value is not None:
            for name, value in self._object().items():
                yield self._at(name, None).checked(name, length), self._at(name, value)

    def items(self) -> Iterator[JsonValue]:
        """Each item of a list; none when absent."""
        if self.value is None:
            return
        if not isinstance(self.value, list):
            raise self.fail(message("must be a list"))
        for at, value in enumerate(self.value):
            yield self._at(at, value)

    def name(self) -> str:
        """A text that names something: 1 to 255 characters that can be stored."""
        if not isinstance(self.value, str):
            raise self.fail(message("must be a text"))
        return self.checked(self.value)

    def name_or_number(self) -> str:
        """A name, or a whole number as text, as ids are."""
        return self.checked(str(self.value)) if type(self.value) is int else self.name()

    def checked(self, text: str, length: int = MAX_NAME) -> str:
        """The text, if it can name something stored."""
        if not 1 <= len(text) <= length:
            raise self.fail(
                message(
                    "must have 1 to {most} characters; got {length}", most=length, length=len(text)
                )
            )
        if not text.isprintable() or text != text.strip():
            wrong = message(
                "must not hold control characters or halves of surrogate pairs, or begin or end "
                "with a space"
            )
            raise self.fail(with_sent(wrong, text))
        return text

    def words(self, length: int = 200) -> str:
        """A short text without invisible characters; "" if it is absent or not a text."""
        text = self.value[: 4 * length] if isinstance(self.value, str) else ""
        return "".join(character if character.isprintable() else " " for character in text)[
            :length
        ].strip()

    def text(self) -> str:
        """A text of any length, as it is; "" if it is absent or not a text."""
        return self.value if isinstance(self.value, str) else ""

    def number(self) -> float | None:
        """A finite number; None if absent. Refuses booleans and NaN."""
        if self.value is None:
            return None
        if type(self.value) not in (int, float):
            raise self.fail(message("must be a number"))
        try:
            number = float(self.value)
        except OverflowError:
            number = float("inf")
        if not isfinite(number):
            raise self.fail(message("must be a finite number"))
        return number + 0.0

    def finite(self) -> float | None:
        """A finite number; None for anything else, booleans included."""
        if type(self.value) not in (int, float) or not -MAX_FINITE < self.value < MAX_FINITE:
            return None
        return float(self.value) + 0.0

    def reward(self) -> float | None:
        """A number, or a boolean as 1 or 0; None when not scored."""
        return float(self.value) if isinstance(self.value, bool) else self.number()

    def count(self) -> int | None:
        """A whole number from 0 to 10^15 (67.0 is one); None when absent."""
        number = self.number()
        if number is None:
            return None
        if not 0 <= number <= MAX_COUNT or number != int(number):
            raise self.fail(message("must be a whole number from 0 to 10^15"))
        return int(number)

    def amount(self) -> float | None:
        """A number from 0 to 10^15; None when absent."""
        number = self.number()
        if number is not None and not 0 <= number <= MAX_COUNT:
            raise self.fail(message("must be a number from 0 to 10^15"))
        return number

    def moment(self) -> datetime | None:
        """A time, ISO 8601 or seconds since 1970; None when absent or without a time zone."""
        if self.value is None:
            return None
        try:
            if isinstance(self.value, str):
                time = datetime.fromisoformat(self.value)
                return time.astimezone(UTC) if time.tzinfo else None
            return datetime.fromtimestamp(self.number() or 0.0, UTC)
        except (ValueError, OverflowError, OSError) as error:
            if isinstance(error, ImportFailed):
                raise
            raise self.fail(message("must be a time like 2026-01-31T12:00:00Z")) from None

    def plain(self) -> Any:
        """The whole value as plain JSON that can be stored: 32 levels, no NUL."""
        waiting = [self]
        while waiting:
            part = waiting.pop()
            if len(part.path) - len(self.path) > MAX_DEPTH:
                raise self.fail(
                    message("must be nested at most {most} levels deep; got more", most=MAX_DEPTH)
                )
            if isinstance(part.value, dict):
                inside = part._object()
                waiting.extend(part._at(name, name) for name in inside)
                waiting.extend(part._at(name, inside[name]) for name in inside)
            elif isinstance(part.value, list):
                waiting.extend(part.items())
            elif isinstance(part.value, str):
                part._storable()
            elif not isinstance(part.value, bool):
                part.number()
        return self.value

    def fail(self, message: str) -> ImportFailed:
        """The exception for a value of the wrong kind, which a text without `; got` repeats."""
        if message.startswith("must ") and "; got " not in message:
            message = with_sent(message, self.value)
        return ImportFailed(message, file=self.file, line=self.line, place=_place(self.path))

    def _storable(self) -> None:
        text: str = self.value
        if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
            raise self.fail(message("must not hold the NUL character or half of a surrogate pair"))

    def _at(self, key: str | int, value: Any) -> JsonValue:
        return JsonValue(value, self.file, self.line, (*self.path, key))

    def _object(self) -> JsonObject:
        if isinstance(self.value, Twice):
            raise self.fail(
                message("must have {name!r} once; got it twice", name=legible(self.value.name))
            )
        if not isinstance(self.value, dict):
            raise self.fail(message("must be an object"))
        return self.value


def parse(text: bytes, file: str, line: int = 0) -> JsonValue:
    """The value of a JSON text in UTF-8. Raises ImportFailed with line and column."""
    try:
        return JsonValue(parse_foreign(text), file, line)
    except InvalidJSON as error:
        raise ImportFailed(error.message, file=file, line=line) from None


def _place(path: ValuePath) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{legible(part)[:80]}" for part in path)
    return "".join(parts).removeprefix(".")
