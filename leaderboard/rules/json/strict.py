"""The one reader of JSON that others write: requests, files, and answers of sandboxes.

It finds what Python's own reader accepts and a database or a plugin cannot handle. pydantic's
reader is twice as fast, but keeps the last of two values of one name without an error.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from typing import Any, Final, NoReturn

from leaderboard.rules.json.encodings import BOM, other_encoding
from leaderboard.rules.texts.messages import Message, message
from leaderboard.rules.texts.quoting import sent

MAX_DEPTH: Final = 32
MAX_PARTS: Final = 100_000
"""The default limit of values in one text."""
MAX_INTEGER: Final = 2**63 - 1

JsonPath = tuple[str | int, ...]


class InvalidJSON(ValueError):
    """A text that is not accepted. `place` is where it is wrong (`meta.model`), or ""."""

    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.place = place


class Twice(dict[str, object]):
    """An object that has a name twice; `name` is the first such name."""

    name = ""


def parse_json(body: bytes, max_parts: int = MAX_PARTS) -> Any:
    """The value of a JSON text in UTF-8.

    Refused, with the place: duplicate names in an object, NaN and infinities (however they are
    written), integers beyond 64 bits, NUL and lone surrogates in texts and names, more than 32
    levels of nesting, more than `max_parts` values. Raises InvalidJSON.
    """
    return parse_counted(body, max_parts)[0]


def parse_counted(body: bytes, max_parts: int = MAX_PARTS) -> tuple[Any, int]:
    """The value as by `parse_json`, and the number of values in the text."""
    text = text_of(body)
    try:
        value = _DECODER.decode(text)
    except _FAILURES as error:
        raise _refusal(error) from None
    parts = _parts(value, may_escape="\\u" in text)
    if parts is None or parts > max_parts:
        _complain(value, max_parts)
    return value, parts or 0


def parse_first(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins at a position of a text, and the position after it.

    The caller still has to check it with `check_value`. Raises InvalidJSON for a text that is not
    JSON.
    """
    try:
        return _DECODER.raw_decode(text, start)
    except _FAILURES as error:
        raise _refusal(error) from None


def parse_foreign(body: bytes) -> Any:
    """The value of a JSON text in UTF-8 that another tool wrote, with its defects left in it.

    NaN and infinities are floats, an object with a duplicate name is a `Twice`, and an integer of
    more than 4300 digits is an infinity: a defect matters where the value is used. Raises
    InvalidJSON for a text that is not JSON.
    """
    text = text_of(body.removeprefix(BOM_UTF8))
    del body  # the largest are tens of megabytes
    try:
        return _patiently_decoded(text)
    except _FAILURES as error:
        raise _refusal(error) from None


def parse_answer(line: bytes) -> Any:
    """A line of JSON from a sandbox, without NaN and infinities (however they are written).

    Duplicate names are accepted.

    Raises InvalidJSON. The reader of the value has to check everything else.
    """
    try:
        return _ANSWER_DECODER.decode(text_of(line))
    except _FAILURES as error:
        raise _refusal(error) from None


def check_value(value: Any, max_parts: int = MAX_PARTS, *, may_escape: bool = True) -> int:
    """The number of values in a decoded value. Raises InvalidJSON as `parse_json` does.

    may_escape: whether its text contains `\\u`; without it, no text in it can be invalid.
    """
    parts = _parts(value, may_escape=may_escape)
    if parts is None or parts > max_parts:
        _complain(value, max_parts)
    return parts or 0


def text_of(body: bytes) -> str:
    """The text of a body in UTF-8 without a byte order mark. Raises InvalidJSON."""
    if encoding := other_encoding(body):
        raise InvalidJSON(message("must be UTF-8; got {encoding}", encoding=encoding))
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        error_text = message("must be UTF-8; got byte {number}, which is not", number=error.start)
        raise InvalidJSON(error_text) from None
    if text.startswith(BOM):
        raise InvalidJSON(message("must be JSON without a byte order mark; got one"))
    return text


def place_of(path: JsonPath) -> str:
    """`("meta", "model")` as `meta.model`; odd names are escaped, long ones cut."""
    return ".".join(ascii(part)[1:-1][:80] if isinstance(part, str) else str(part) for part in path)


def not_json(error: json.JSONDecodeError, place: str = "") -> InvalidJSON:
    """The exception for a text that is not JSON."""
    reason = f"{error.msg[0].lower()}{error.msg[1:]}"
    line, column = error.lineno, error.colno
    # The line only where there are several: the text may be one of the lines of a file.
    if "\n" not in error.doc.strip():
        error_text = message(
            "must be JSON; got a syntax error: {reason} (column {column})",
            reason=reason,
            column=column,
        )
        return InvalidJSON(error_text, place)
    return InvalidJSON(
        message(
            "must be JSON; got a syntax error: {reason} (line {line}, column {column})",
            reason=reason,
            line=line,
            column=column,
        ),
        place,
    )


def _patiently_decoded(text: str) -> Any:
    """The value, of a text with long integers by a decoder that is slower for all integers."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return _PATIENT_DECODER.decode(text)


def _too_deep() -> Message:
    return message("must be nested at most {most} levels deep; got more", most=MAX_DEPTH)


def _refusal(error: Exception) -> InvalidJSON:
    """The exception for an error of a decoder.

    Any other ValueError is about an integer of more than 4300 digits.
    """
    match error:
        case InvalidJSON():
            return error
        case json.JSONDecodeError():
            return not_json(error)
        case RecursionError():
            return InvalidJSON(_too_deep())
    return InvalidJSON(message("must have integers of at most 64 bits; got a longer one"))


def _parts(value: Any, *, may_escape: bool) -> int | None:
    """The number of values; None if one of them is invalid.

    It works level by level and without paths, many times faster than `_walk`, which then finds the
    error and its path. Without an escape, no text can contain a refused character.
    """
    if _wrong(value, 0) or type(value) not in (dict, list, str, *_PLAIN):
        return None
    parts, level = 1, [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for part in level:
            parts += len(part)
            if may_escape and type(part) is dict and any(map(_wrong_text, part)):
                return None
            if not _sound(part.values() if type(part) is dict else part, below, may_escape):
                return None
        level = below
        if not level:
            return parts
    return None


def _sound(values: Iterable[Any], below: list[Any], may_escape: bool) -> bool:
    """Whether values are accepted by themselves; lists and objects go to `below`."""
    for value in values:
        kind = type(value)
        if kind is dict or kind is list:
            below.append(value)
        elif kind is str:
            if may_escape and _wrong_text(value):
                return False
        elif (
            (kind is float and value - value != 0)
            or (kind is int and abs(value) > MAX_INTEGER)
            or kind not in _PLAIN
        ):
            return False
    return True


def _complain(value: Any, max_parts: int) -> None:
    parts = 1
    for path, part in _walk(value):
        parts += len(part) if isinstance(part, dict | list) else 0
        if parts > max_parts:
            raise InvalidJSON(message("must have at most {most} values; got more", most=max_parts))
        if wrong := _wrong(part, len(path)):
            raise InvalidJSON(wrong, place_of(path))


def _walk(value: Any) -> Iterator[tuple[JsonPath, Any]]:
    """Every part of a value with its path, names of objects included; not deeper than allowed."""
    waiting: list[tuple[JsonPath, Any]] = [((), value)]
    while waiting:
        path, part = waiting.pop()
        yield (*path, part.name) if isinstance(part, Twice) else path, part
        if isinstance(part, dict):
            for name in part:
                yield path, name
            waiting.extend(((*path, name), item) for name, item in part.items())
        elif isinstance(part, list):
            waiting.extend(((*path, at), item) for at, item in enumerate(part))


def _wrong(part: Any, depth: int) -> str:
    if isinstance(part, str):
        return _wrong_text(part)
    if isinstance(part, Twice):
        return message("must be there once in its object; got it twice")
    if isinstance(part, dict | list):
        return "" if depth < MAX_DEPTH else _too_deep()
    if type(part) is int and abs(part) > MAX_INTEGER:
        return message("must be an integer of at most 64 bits; got {sent}", sent=sent(part))
    if type(part) is float and part - part != 0:
        return message("must be a finite number; got {sent}", sent=sent(part))
    return ""


def _wrong_text(text: str) -> str:
    if "\0" in text:
        return message("must be a text without the NUL character; got one with it")
    try:
        text.encode()
    except UnicodeEncodeError:
        return message("must be a text without half of a surrogate pair; got one with it")
    return ""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, object]:
    by_name = dict(pairs)
    if len(by_name) == len(pairs):
        return by_name
    twice, earlier_names = Twice(by_name), set[str]()
    for name, _ in pairs:
        if name in earlier_names:
            twice.name = name
            break
        earlier_names.add(name)
    return twice


def _integer(digits: str) -> int | float:
    try:
        return int(digits)
    except ValueError:
        return float("inf")


def _finite(digits: str) -> float:
    number = float(digits)
    if number - number != 0:
        raise InvalidJSON(message("must be a finite number; got {sent}", sent=sent(digits)))
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidJSON(message("must be JSON; got {name}", name=name))


_FAILURES: Final = (ValueError, RecursionError)
"""What a decoder raises."""
_PLAIN: Final = (float, int, bool, type(None))
_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object)
_PATIENT_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer)
_ANSWER_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)
