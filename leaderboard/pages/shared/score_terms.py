"""The terms of a score as its scorer named them, with signs where they add up to the score."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.columns.column import NOTHING
from leaderboard.pages.labels import row_labels

SUBTRACTED = frozenset({"penalty", "penalties", "deduction", "deductions"})
"""Words in the name of a term that a scorer subtracts although it reports it as a positive."""


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a score, named by its scorer. `block` holds what is not a single value."""

    name: str
    text: str
    block: str


def terms(details: Mapping[str, object], score: float | None) -> list[Term]:
    """The details of a score, one line each; nested ones as indented JSON.

    score: the scorer's result before clamping. If the numbers add up to it, each has its sign:
    penalties that a scorer reports as positive numbers are then negative. If they do not add up
    (as in a product), they are shown as the scorer reported them.
    """
    signed = added(details, score)
    return [_term(key, value, signed) for key, value in details.items()]


def added(details: Mapping[str, object], score: float | None) -> dict[str, float]:
    """The numbers among the details with the signs under which they sum to the score, or {}."""
    numbers = {key: finite(value) for key, value in details.items()}
    reported = {key: value for key, value in numbers.items() if value is not None}
    signed = {key: -value if _is_subtracted(key) else value for key, value in reported.items()}
    for candidate in (reported, signed):
        if score is not None and candidate and _sums_to(candidate, score):
            return candidate
    return {}


def _sums_to(numbers: Mapping[str, float], score: float) -> bool:
    largest = max(map(abs, numbers.values()))
    try:
        total = math.fsum(numbers.values())
    except OverflowError:
        return False
    return math.isclose(total, score, rel_tol=1e-9, abs_tol=1e-9 * largest)


def _is_subtracted(key: str) -> bool:
    return not SUBTRACTED.isdisjoint(key.lower().replace("-", "_").split("_"))


def finite(value: object) -> float | None:
    """A number among the details as a float; None for other values, and beyond all floats."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _term(key: str, value: Any, added: Mapping[str, float]) -> Term:
    if isinstance(value, dict | list):
        return Term(spoken_key(key), "", json.dumps(value, ensure_ascii=False, indent=2))
    return Term(
        spoken_key(key), signed_text(added[key]) if key in added else _value_text(value), ""
    )


def spoken_key(key: str) -> str:
    """The name of a term as a label: `time_penalty` is *Time penalty*."""
    words_of = key.replace("_", " ").strip()
    return words_of[:1].upper() + words_of[1:] if words_of else key


def signed_text(value: float) -> str:
    """`+120`, `−6.25`, and `0` without a sign."""
    return f"+{row_labels.number(value)}" if value > 0 else row_labels.number(value + 0.0)


def _value_text(value: Any) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    number = finite(value)
    return str(value) if number is None else row_labels.number(value)
