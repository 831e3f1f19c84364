"""HELM's mean win rate: how often one participant beats another, averaged over values.

The same as `compute_aggregate_row_win_rates` of HELM (benchmark/presentation/summarize.py), except
that values are rounded as for ranks, so that 0.1 + 0.2 ties with 0.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from statistics import fmean
from typing import Final, NamedTuple

from leaderboard.rules.ranking.places import RankKey
from leaderboard.rules.texts.messages import message

WIN_RATE: Final = "mean_win_rate"
"""The type of a metric that compares participants with each other."""

MEANING: Final = message(
    "Share of the other participants that this one beats, averaged over the values compared; "
    "a tie is half a win."
)


class WinRate(NamedTuple):
    """A win rate. value: 0 to 1, None without other participants. over: the compared values."""

    value: float | None
    over: int


def win_rates(rows: Sequence[Sequence[float | None]], keys: Sequence[RankKey]) -> list[WinRate]:
    """The mean win rate of each row of numbers, one for each key; None for one that is missing.

    A key for which fewer than two rows have a number is left out.
    """
    shares: list[list[float]] = [[] for _ in rows]
    for at, key in enumerate(keys):
        column = [_comparable(row[at], key) for row in rows]
        worth = _shares_beaten(number for number in column if number is not None)
        for share, number in zip(shares, column, strict=True):
            if number is not None and worth:
                share.append(worth[number])
    return [
        WinRate(fmean(row_shares) if row_shares else None, len(row_shares)) for row_shares in shares
    ]


def _comparable(number: float | None, key: RankKey) -> float | None:
    """The number in a form in which larger is better."""
    if number is None:
        return None
    rounded = round(number, key.decimals)
    return -rounded if key.direction == "asc" else rounded


def _shares_beaten(column: Iterable[float]) -> dict[float, float]:
    """For each number the share of the others that it beats; {} where there are fewer than two."""
    counts: dict[float, int] = {}
    for number in column:
        counts[number] = counts.get(number, 0) + 1
    rivals = sum(counts.values()) - 1
    if rivals < 1:
        return {}
    numbers = sorted(counts)
    behind = accumulate((counts[number] for number in numbers), initial=0)
    beaten = zip(numbers, behind, strict=False)
    return {number: (less + (counts[number] - 1) / 2) / rivals for number, less in beaten}
