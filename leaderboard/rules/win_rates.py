"""HELM's mean win rate: how often one participant beats another, averaged over values.

The same as `compute_aggregate_row_win_rates` of HELM (benchmark/presentation/summarize.py), but
that values are rounded as ranks round them, so that 0.1 + 0.2 ties with 0.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from statistics import fmean
from typing import Final, Literal, NamedTuple

from leaderboard.rules.ranking import RankKey
from leaderboard.rules.sortkey import PRECISION, Direction
from leaderboard.rules.spec_names import SpecError, checked_text

WIN_RATE: Final = "mean_win_rate"
"""The type of a metric that compares participants with each other."""

MEANING: Final = (
    "Share of the other participants that this one beats, averaged over the values compared; "
    "a tie is half a win."
)
MAX_COMPARED: Final = 100
_FIELDS: Final = ("key", "direction", "decimals")


class WinRate(NamedTuple):
    """value: 0 to 1, None if there was nobody to compare with. over: values compared."""

    value: float | None
    over: int


def win_rates(rows: Sequence[Sequence[float | None]], keys: Sequence[RankKey]) -> list[WinRate]:
    """The mean win rate of each row of numbers, one for each key; None for one that is missing.

    A key for which fewer than two rows have a number compares nobody, and is left out.
    """
    shares: list[list[float]] = [[] for _ in rows]
    for at, key in enumerate(keys):
        column = [_comparable(row[at], key) for row in rows]
        worth = _shares_beaten(number for number in column if number is not None)
        for share, number in zip(shares, column, strict=True):
            if number is not None and worth:
                share.append(worth[number])
    return [WinRate(fmean(each) if each else None, len(each)) for each in shares]


def parse_compared(at: str, entries: object) -> tuple[RankKey, ...]:
    """The field `of`: names of values, or objects as in `rank_by`. Raises SpecError."""
    if not isinstance(entries, list | tuple) or not 1 <= len(entries) <= MAX_COMPARED:
        wrong = f"must be a list of 1 to {MAX_COMPARED} keys of values that are compared"
        raise SpecError(at, wrong)
    keys = [_parsed(f"{at}.{index}", entry) for index, entry in enumerate(entries)]
    names = [key.key for key in keys]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise SpecError(f"{at}.{index}", f"{name} is named twice")
    return tuple(keys)


def _comparable(number: float | None, key: RankKey) -> float | None:
    """A number that is the larger the better it is."""
    if number is None:
        return None
    rounded = round(number, key.decimals)
    return -rounded if key.direction == "asc" else rounded


def _shares_beaten(column: Iterable[float]) -> dict[float, float]:
    """For each number the share of the others that it beats; {} where there are fewer than two."""
    counts: dict[float, int] = {}
    for number in column:
        counts[number] = counts.get(number, 0) + 1
    others = sum(counts.values()) - 1
    if others < 1:
        return {}
    numbers = sorted(counts)
    behind = accumulate((counts[number] for number in numbers), initial=0)
    beaten = zip(numbers, behind, strict=False)
    return {number: (less + (counts[number] - 1) / 2) / others for number, less in beaten}


def _parsed(at: str, entry: object) -> RankKey:
    if isinstance(entry, str):
        entry = {"key": entry}
    if not isinstance(entry, dict) or "key" not in entry:
        raise SpecError(at, 'must be the key of a value, or an object {"key", "direction"}')
    for name in entry:
        if name not in _FIELDS:
            raise SpecError(f"{at}.{name}", f"unknown field; known: {', '.join(_FIELDS)}")
    key = checked_text(f"{at}.key", entry["key"], 255)
    direction: Direction | Literal["desc"] = entry.get("direction", "desc")
    if direction not in ("asc", "desc"):
        raise SpecError(f"{at}.direction", f"must be asc or desc; got {direction!r:.80}")
    decimals = entry.get("decimals", PRECISION)
    if type(decimals) is not int or not 0 <= decimals <= PRECISION:
        wrong = f"must be a whole number from 0 to {PRECISION}; got {decimals!r:.80}"
        raise SpecError(f"{at}.decimals", wrong)
    return RankKey(key, direction, decimals)
