"""Checks the results of scorers, and converts them for storage.

The same functions check a result twice: in the child, where the objects are the scorer's own, and
again in the host, which trusts no answer of a child.
"""

import json
import re
from inspect import isasyncgen, iscoroutine, isgenerator
from math import isfinite
from typing import NamedTuple

from leaderboard.rules.json.values import JsonObject

MAX_DETAILS_BYTES = 64 * 1024
MAX_DETAILS_DEPTH = 32


_DIGITS_OF_FLOATS = 308
_LARGE = re.compile(rf"\d{{{_DIGITS_OF_FLOATS + 1}}}")


def may_hold_large_number(text: str) -> bool:
    """Whether a JSON text has as many digits in a row as an integer that is no float."""
    return len(text) > _DIGITS_OF_FLOATS and _LARGE.search(text) is not None


def plain_number(value: object) -> object:
    """A scalar of numpy as a number of Python; any other value unchanged.

    Knows numpy's scalars by their base class, because numpy need not be installed.
    """
    kind = type(value)
    if not any(base.__module__ == "numpy" and base.__name__ == "generic" for base in kind.__mro__):
        return value
    number: object = value.item()  # type: ignore[attr-defined]
    # The item of a long double is a long double again.
    return float(number) if type(number) is kind else number  # type: ignore[arg-type]


def _encodable(value: object) -> object:
    """What json calls for a value that is not plain. Raises TypeError unless it is a scalar."""
    number = plain_number(value)
    if number is value:
        raise TypeError(f"{type(value).__name__} is not plain JSON")
    return number


encode_json = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_encodable
).encode


class InvalidResult(ValueError):
    """A scorer returned no usable score. The text is suitable for the participant."""


class CheckedResult(NamedTuple):
    """`value` is the score that counts, `raw_value` the returned score.

    `details` are plain JSON or None; `details_note` says why they were dropped, else "".
    """

    value: float
    raw_value: float
    clamped: bool
    details: JsonObject | None
    details_note: str


def check_score(result: object) -> CheckedResult:
    """The clamped score and the details of a scorer's result.

    Raises InvalidResult unless it is an exact dict whose `score` is a finite int or float (not a
    bool, not a subclass) or a scalar of numpy. Details that are not plain JSON of at most 64 KiB
    and 32 levels are dropped with a note; the score stays.
    """
    checked = result_of(result)
    raw_value = check_number(checked["score"])
    value, clamped = clamp(raw_value)
    details, note = check_details(checked.get("details"))
    return CheckedResult(value, raw_value, clamped, details, note)


def result_of(result: object) -> JsonObject:
    """The result, which is a dict with a `score` of any type. Raises InvalidResult."""
    if type(result) is not dict:
        raise InvalidResult(_not_a_dict(result))
    if "score" not in result:
        raise InvalidResult("The scorer returned a dict without a 'score'.")
    return result


def _not_a_dict(result: object) -> str:
    if iscoroutine(result):
        result.close()
        return "The scorer returned a coroutine: `score` must be a plain `def`, not `async def`."
    if isgenerator(result) or isasyncgen(result):
        return "The scorer returned a generator: `score` must `return` a dict, not `yield`."
    return f"The scorer returned {_kind(result)} instead of a dict with a 'score'."


def check_number(score: object) -> float:
    """A score as a float, -0.0 as 0.0. Raises InvalidResult for all but finite int and float."""
    if type(score) is not float:
        score = _from_int(plain_number(score))
    if not isfinite(score):
        raise InvalidResult(f"The score is {score}, not a finite number.")
    return score + 0.0


def _from_int(score: object) -> float:
    if type(score) is float:
        return score
    if type(score) is not int:
        raise InvalidResult(f"The score is {_kind(score)}, not a plain int or float.")
    try:
        return float(score)
    except OverflowError:
        raise InvalidResult("The score is too large a number.") from None


def _kind(value: object) -> str:
    return "None" if value is None else f"of type {type(value).__name__[:60]}"


def clamp(raw_value: float) -> tuple[float, bool]:
    """The score that counts, never below 0.0, and whether that changed it."""
    return (0.0, True) if raw_value < 0.0 else (raw_value, False)


def check_details(details: object) -> tuple[JsonObject | None, str]:
    """Details after conversion to and from JSON, or None and a note that says why."""
    text, note = encode_details(details)
    return (json.loads(text), note)


def encode_details(details: object) -> tuple[str, str]:
    """Details as a JSON text, `null` when absent or dropped, and the note on why ("" = kept)."""
    if details is None:
        return "null", ""
    if type(details) is not dict:
        return "null", f"The details were dropped: they are {_kind(details)}, not a dict."
    try:
        text = encode_json(details)
        problem = _problem_of_text(text)
    except RecursionError:
        problem = _TOO_DEEP
    except Exception as error:  # the values in the dict are a plugin's, and may raise anything
        problem = _problem_of_encoding(error)
    return ("null", f"The details were dropped: they {problem}.") if problem else (text, "")


_TOO_DEEP = f"are nested deeper than {MAX_DETAILS_DEPTH} levels"


def _problem_of_encoding(error: Exception) -> str:
    if "Circular" in str(error):
        return "contain themselves"
    if "JSON compliant" in str(error):
        return "hold NaN or Infinity"
    return "are not plain JSON"


def _problem_of_text(text: str) -> str:
    """Why a valid JSON text cannot be stored; "" if it can."""
    try:
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError:
        return "hold text that is not valid Unicode"
    if size > MAX_DETAILS_BYTES:
        return f"are larger than {MAX_DETAILS_BYTES // 1024} KiB"
    is_deep = text.count("{") + text.count("[") > MAX_DETAILS_DEPTH
    if is_deep or "\\u" in text or may_hold_large_number(text):
        return problem_within(json.loads(text))
    return ""


def problem_within(value: object, depth: int = 1) -> str:
    """Why a value of JSON cannot be stored: a text or a number in it, or its nesting; "" if it
    can.
    """
    if isinstance(value, str):
        return "hold a NUL character" if "\x00" in value else _unpaired(value)
    if type(value) is int:
        return _too_large(value)
    if not isinstance(value, dict | list):
        return ""
    if depth > MAX_DETAILS_DEPTH:
        return _TOO_DEEP
    parts = [*value, *value.values()] if isinstance(value, dict) else value
    return next(filter(None, (problem_within(part, depth + 1) for part in parts)), "")


def _too_large(number: int) -> str:
    try:
        float(number)
    except OverflowError:
        return "hold an integer that is too large for a number"
    return ""


def _unpaired(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return "hold text that is not valid Unicode"
    return ""
