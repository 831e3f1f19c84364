"""Strict JSON: what Python's reader lets through and a database or a plugin would choke on.

Pure functions without Django; `leaderboard.api.parsers` puts them between a request and a view.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

MAX_DEPTH: Final = 32
MAX_PARTS: Final = 100_000
"""Values in one text that nobody says more of."""
MAX_INTEGER: Final = 2**63 - 1
BOM: Final = "\ufeff"
_PIECEMEAL: Final = 3
"""As deep as the instances of an attempt's evaluation are."""

Path = tuple[str | int, ...]


class InvalidJSON(ValueError):
    """A text that is not accepted. `place` is where it is wrong (`meta.model`), or ""."""

    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.place = place


class _Twice:
    """Marks a duplicate name in an object: found while parsing, and located by the walk."""

    def __init__(self, name: str) -> None:
        self.name = name


def parse_json(body: bytes, max_parts: int = MAX_PARTS) -> Any:
    """The value of a JSON text in UTF-8.

    Refused, with the place: duplicate names in an object, NaN and infinities (however they are
    written), integers beyond 64 bits, NUL and lone surrogates in texts and names, more than 32
    levels of nesting, more than `max_parts` values. Raises InvalidJSON.
    """
    return parse_counted(body, max_parts)[0]


def parse_counted(body: bytes, max_parts: int = MAX_PARTS) -> tuple[Any, int]:
    """As `parse_json`, and how many values the text has."""
    text = text_of(body)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise InvalidJSON(f"is not JSON: {said_of(error)}") from None
    except ValueError:  # Python reads no integer of more than 4300 digits
        raise InvalidJSON("holds an integer beyond 64 bits") from None
    except RecursionError:
        raise InvalidJSON(f"is nested deeper than {MAX_DEPTH} levels") from None
    parts = _parts(value, may_escape="\\u" in text)
    if parts is None or parts > max_parts:
        _complain(value, max_parts)
    return value, parts or 0


def text_of(body: bytes) -> str:
    """The text of a body in UTF-8 without a byte order mark. Raises InvalidJSON."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidJSON(f"must be UTF-8; byte {error.start} is not") from None
    if text.startswith(BOM):
        raise InvalidJSON("is not JSON: a byte order mark at its beginning is not allowed")
    return text


def count_parts(value: Any) -> int | None:
    """How many values there are in one that another reader made; None when one is refused here."""
    return _parts(value, may_escape=True)


def canonical(value: Any) -> bytes:
    """One text for equal values, whatever the order of names and the white space."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def digest(value: Any) -> str:
    """SHA-256 of the `canonical` text of a value, which is never held as a whole."""
    found = hashlib.sha256()
    for piece in _pieces(value, _PIECEMEAL):
        found.update(piece)
    return found.hexdigest()


def same_value(one: Any, other: Any) -> bool:
    """Whether two values are the same in JSON: `1` is `1.0`, and `true` is neither."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_value(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_value, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)


def place_of(path: Path) -> str:
    """`("meta", "model")` as `meta.model`; odd names are escaped, long ones cut."""
    return ".".join(ascii(part)[1:-1][:80] if isinstance(part, str) else str(part) for part in path)


def _pieces(value: Any, levels: int) -> Iterator[bytes]:
    """The canonical text in pieces: lists and objects of so many levels item by item."""
    if not levels or not value or not isinstance(value, dict | list):
        yield canonical(value)
        return
    before = b"{" if isinstance(value, dict) else b"["
    for each in sorted(value) if isinstance(value, dict) else value:
        yield before
        before = b","
        if isinstance(value, dict):
            yield canonical(each) + b":"
        yield from _pieces(value[each] if isinstance(value, dict) else each, levels - 1)
    yield b"}" if isinstance(value, dict) else b"]"


def said_of(error: json.JSONDecodeError) -> str:
    """With the line only where there are several: the text may be one of the lines of a file."""
    line = f"line {error.lineno}, " if "\n" in error.doc.strip() else ""
    return f"{error.msg[0].lower()}{error.msg[1:]} ({line}column {error.colno})"


def _parts(value: Any, *, may_escape: bool) -> int | None:
    """How many values there are, None when one of them is wrong.

    Level by level and without places: that is many times faster than `_walk`, which is left to
    say what is wrong and where. Without an escape, no text can hold what is refused in texts.
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
    for each in values:
        kind = type(each)
        if kind is dict or kind is list:
            below.append(each)
        elif kind is str:
            if may_escape and _wrong_text(each):
                return False
        elif (
            (kind is float and each - each != 0)
            or (kind is int and abs(each) > MAX_INTEGER)
            or kind not in _PLAIN
        ):
            return False
    return True


def _complain(value: Any, max_parts: int) -> None:
    parts = 1
    for path, part in _walk(value):
        parts += len(part) if isinstance(part, dict | list) else 0
        if parts > max_parts:
            raise InvalidJSON(f"has more than {max_parts} values")
        if wrong := _wrong(part, len(path)):
            raise InvalidJSON(wrong, place_of(path))


def _walk(value: Any) -> Iterator[tuple[Path, Any]]:
    """Every part of a value with its path, names of objects included; not deeper than allowed."""
    waiting: list[tuple[Path, Any]] = [((), value)]
    while waiting:
        path, part = waiting.pop()
        yield (*path, part.name) if isinstance(part, _Twice) else path, part
        if isinstance(part, dict):
            for name in part:
                yield path, name
            waiting.extend(((*path, name), each) for name, each in part.items())
        elif isinstance(part, list):
            waiting.extend(((*path, at), each) for at, each in enumerate(part))


def _wrong(part: Any, depth: int) -> str:
    if isinstance(part, str):
        return _wrong_text(part)
    if isinstance(part, dict | list):
        return "" if depth < MAX_DEPTH else f"is nested deeper than {MAX_DEPTH} levels"
    if isinstance(part, _Twice):
        return "stands twice in its object"
    if type(part) is int and abs(part) > MAX_INTEGER:
        return "is an integer beyond 64 bits"
    if type(part) is float and part - part != 0:
        return "must be a finite number"
    return ""


def _wrong_text(text: str) -> str:
    if "\0" in text:
        return "must not hold the NUL character"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "must not hold half of a surrogate pair"
    return ""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Twice:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    names = [name for name, _ in pairs]
    return _Twice(next(name for name in names if names.count(name) > 1))


_PLAIN: Final = (float, int, bool, type(None))
_DECODER = json.JSONDecoder(object_pairs_hook=_object)
