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


def _wrong_id(found: object) -> str:
    """What is wrong with the id; "" if nothing. Messages call a metric by its id."""
    if not isinstance(found, str) or not is_text(found, MAX_TEXT_METRIC):
        return f"must be a text of 1 to {MAX_TEXT_METRIC} characters"
    if found in OWN or found in rankable_keys():
        return f"{found} is the name of another value"
    return "must have no colon" if ":" in found else ""


def _is_flag(found: object) -> bool:
    return isinstance(found, bool)


def _is_text(found: object) -> bool:
    return isinstance(found, str)


def _is_direction(found: object) -> bool:
    return isinstance(found, str) and found in DIRECTIONS


def _are_directions(found: object) -> bool:
    return found is None or (
        isinstance(found, dict)
        and all(map(_is_text, found))
        and all(map(_is_direction, found.values()))
    )


def _are_notes(found: object) -> bool:
    return found is None or (
        isinstance(found, dict)
        and all(map(_is_text, found))
        and all(isinstance(each, dict) for each in found.values())
        and all(_is_text(text) for each in found.values() for pair in each.items() for text in pair)
    )


def _are_variants(found: object) -> bool:
    if found is None:
        return True
    return isinstance(found, dict) and all(
        _is_text(each) for pair in found.items() for each in pair
    )


def _are_bounds(found: object) -> bool:
    if found is None:
        return True
    if not isinstance(found, tuple | list) or len(found) != 2 or not all(map(_is_bound, found)):
        return False
    low, high = found
    return low is None or high is None or low < high


def _are_ranges(found: object) -> bool:
    return found is None or (
        isinstance(found, dict)
        and all(map(_is_text, found))
        and all(each is not None and _are_bounds(each) for each in found.values())
    )


def _is_bound(found: object) -> bool:
    number = isinstance(found, int | float) and not isinstance(found, bool)
    return found is None or (number and not isnan(found))  # type: ignore[arg-type]


def _are_modules(found: object) -> bool:
    return isinstance(found, str) or (isinstance(found, tuple | list) and all(map(_is_text, found)))


def _is_dict(found: object) -> bool:
    return found is None or isinstance(found, dict)


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
