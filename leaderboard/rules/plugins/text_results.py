"""Checks the results of text metrics.

The same functions check a result twice: in the child, where the objects are the metric's own, and
again in the host, which trusts no answer of a child.
"""

from math import isfinite
from numbers import Real
from typing import Any, NamedTuple

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.results import InvalidResult, encode_json
from leaderboard.rules.rewards.text_scores import TextMetricScore
from leaderboard.rules.texts.plugin_output import class_name, cut

InstanceResult = float | dict[str, float | None] | None
"""What a text metric makes of one instance; None where it is not defined for it."""

MAX_KEYS = 40
MAX_KEY_LENGTH = 80
MAX_TEXT_BYTES = 500
MAX_DEPTH = 50
"""Levels of lists and dicts within one another."""


class TextMetricResult(NamedTuple):
    """One call's result, made plain. `warnings` by the instance's position."""

    results: list[InstanceResult] | None
    warnings: dict[int, str]
    score: TextMetricScore
    statistics: Any


def check_result(result: object, count: int) -> TextMetricResult:
    """The checked result of `evaluate` for `count` instances. Raises InvalidResult."""
    if not isinstance(result, dict) or "score" not in result:
        raise InvalidResult(f"The text metric returned {_kind(result)}, not a dict with a 'score'.")
    return TextMetricResult(
        check_results(result.get("results"), count),
        _warnings(result.get("warnings"), count),
        check_score(result["score"]),
        check_statistics(result.get("statistics")),
    )


def check_score(score: object) -> TextMetricScore:
    """Names with numbers, texts or None, at least one of them no text. Raises InvalidResult."""
    if not isinstance(score, dict) or not score:
        raise InvalidResult("The text metric's score is not a dict of numbers by name.")
    checked: TextMetricScore = {
        key: _text_or_number(value) for key, value in _named(score, "score").items()
    }
    if all(isinstance(value, str) for value in checked.values()):
        raise InvalidResult("The text metric's score holds no number.")
    return checked


def check_results(results: Any, count: int) -> list[InstanceResult] | None:
    """One for each instance: a finite number, numbers by name, or None. Raises InvalidResult."""
    if results is None:
        return None
    try:
        given = list(results)
    except TypeError:
        raise InvalidResult("The text metric's results are no sequence.") from None
    if len(given) != count:
        raise InvalidResult(f"The text metric returned {len(given)} results for {count} instances.")
    if set(map(type, given)) == {float} and all(map(isfinite, given)):  # most are
        return [result + 0.0 for result in given]
    return [
        {key: _number(value) for key, value in _named(result, "result").items()}
        if isinstance(result, dict)
        else _number(result)
        for result in given
    ]


def _named(values: dict[Any, Any], what: str) -> JsonObject:
    if len(values) > MAX_KEYS:
        raise InvalidResult(f"The text metric's {what} has more than {MAX_KEYS} names.")
    for key in values:
        if type(key) is not str or not key.isprintable() or not 0 < len(key) <= MAX_KEY_LENGTH:
            raise InvalidResult(
                f"A name in the text metric's {what} is not a text of 1 to {MAX_KEY_LENGTH}"
                " printable characters."
            )
    return values


def _text_or_number(value: object) -> float | str | None:
    return clean_text(value) if isinstance(value, str) else _number(value)


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if type(value) is float and isfinite(value):
        return value + 0.0
    if type(value) is bool or not isinstance(value, Real):
        raise InvalidResult(f"The text metric returned {_kind(value)} in place of a number.")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise InvalidResult(f"The text metric returned {number}, not a finite number.")
    return number + 0.0


def _warnings(sent_warnings: Any, count: int) -> dict[int, str]:
    if not sent_warnings:
        return {}
    if not isinstance(sent_warnings, dict) or not all(
        isinstance(text, str) for text in sent_warnings.values()
    ):
        raise InvalidResult("The text metric's warnings are no texts by position.")
    try:
        warnings = {
            position.__index__(): clean_text(text) for position, text in sent_warnings.items()
        }
    except AttributeError:
        raise InvalidResult("The text metric's warnings are not by position.") from None
    if not all(0 <= position < count for position in warnings):
        raise InvalidResult("The text metric warns of an instance that it was not given.")
    return warnings


def clean_text(text: str) -> str:
    """A text of limited length that every database accepts."""
    return cut(text.encode("utf-8", "replace").decode().replace("\0", "\ufffd"), MAX_TEXT_BYTES)


def check_statistics(statistics: Any) -> Any:
    """The statistics of a block for `combine`: JSON that can be stored. Raises InvalidResult."""
    try:
        encode_json(statistics).encode()
    except (TypeError, ValueError, RecursionError) as error:
        text = f"The text metric's statistics are not plain JSON: {class_name(error)}."
        raise InvalidResult(text) from None
    if _is_deeper(statistics, MAX_DEPTH):
        text = f"The text metric's statistics are nested deeper than {MAX_DEPTH} levels."
        raise InvalidResult(text)
    return statistics


def _is_deeper(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list | tuple):
        return False
    parts = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deeper(part, levels - 1) for part in parts)


def _kind(value: object) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__[:60]}"
