"""Checks that the attributes of a text metric have valid values.

With an invalid attribute a metric would be ranked the wrong way round, or computed differently than
its author thinks, and nobody would notice. So it cannot be used before it is corrected.
"""

from collections.abc import Callable, Iterator
from math import isnan
from typing import Any

from leaderboard.facts import rankable_keys
from leaderboard.rules.texts.plugin_output import cut
from leaderboard.rules.texts.value_names import MAX_TEXT_METRIC, OWN, is_text
from leaderboard.sandbox.contract import Failure

DIRECTIONS = ("asc", "desc")

Check = tuple[str, Callable[[Any], bool], str]


def fault_of(plugin: type) -> Failure | None:
    """The first attribute with an invalid value, and the accepted values; None if all are valid."""
    problem = next(_problems(plugin), None)
    if problem is None:
        return None
    name = cut(str(getattr(plugin, "id", plugin.__name__)), 200)
    return Failure("load_error", f"{name} cannot be used: its {problem}.")


def _problems(plugin: type) -> Iterator[str]:
    if problem := _wrong_id(getattr(plugin, "id", None)):
        yield f"`id` {problem}"
    for name, makes_sense, accepted in _CHECKS:
        if hasattr(plugin, name) and not makes_sense(getattr(plugin, name)):
            yield f"`{name}` must be {accepted}"


def _wrong_id(value: object) -> str:
    """What is wrong with the id; "" if nothing. Messages call a metric by its id."""
    if not isinstance(value, str) or not is_text(value, MAX_TEXT_METRIC):
        return f"must be a text of 1 to {MAX_TEXT_METRIC} characters"
    if value in OWN or value in rankable_keys():
        return f"{value} is the name of another value"
    return "must have no colon" if ":" in value else ""


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_direction(value: object) -> bool:
    return isinstance(value, str) and value in DIRECTIONS


def _are_directions(value: object) -> bool:
    return value is None or (
        isinstance(value, dict)
        and all(map(_is_text, value))
        and all(map(_is_direction, value.values()))
    )


def _are_notes(value: object) -> bool:
    return value is None or (
        isinstance(value, dict)
        and all(map(_is_text, value))
        and all(isinstance(note, dict) for note in value.values())
        and all(_is_text(text) for note in value.values() for pair in note.items() for text in pair)
    )


def _are_variants(value: object) -> bool:
    if value is None:
        return True
    return isinstance(value, dict) and all(
        _is_text(text) for pair in value.items() for text in pair
    )


def _are_bounds(value: object) -> bool:
    if value is None:
        return True
    if not isinstance(value, tuple | list) or len(value) != 2 or not all(map(_is_bound, value)):
        return False
    low, high = value
    return low is None or high is None or low < high


def _are_ranges(value: object) -> bool:
    return value is None or (
        isinstance(value, dict)
        and all(map(_is_text, value))
        and all(bounds is not None and _are_bounds(bounds) for bounds in value.values())
    )


def _is_bound(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value is None or (number and not isnan(value))  # type: ignore[arg-type]


def _are_modules(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, tuple | list) and all(map(_is_text, value)))


def _is_dict(value: object) -> bool:
    return value is None or isinstance(value, dict)


_FLAG = "True or False"
_CHECKS: tuple[Check, ...] = (
    ("averaged", _is_flag, _FLAG),
    ("combine", callable, "a method"),
    ("supervised", _is_flag, _FLAG),
    ("parallel", _is_flag, _FLAG),
    ("direction", _is_direction, '"asc" or "desc"'),
    ("directions", _are_directions, 'a dict of names with "asc" or "desc"'),
    ("bounds", _are_bounds, "the lowest and the highest value, in this order, or None for either"),
    ("ranges", _are_ranges, "a dict of names with the lowest and the highest value of each"),
    ("unit", _is_text, "a text"),
    ("variants", _are_variants, "a dict of parameters, each with the id of a text metric"),
    ("notes", _are_notes, "a dict of parameters, each with a dict of values and texts"),
    ("defaults", _is_dict, "a dict of parameters with their defaults"),
    ("needs", _are_modules, "the names of modules"),
    ("install", _is_text, "a text"),
)
