"""Gold, silver and bronze for the first ranks of a board."""

from __future__ import annotations

from typing import Final, Literal

Medal = Literal["gold", "silver", "bronze"]
MEDALS: Final[tuple[Medal, ...]] = ("gold", "silver", "bronze")


def medal_of(rank: int, ranked: int, scheme: str) -> Medal | None:
    """The medal of a rank among `ranked` rows.

    scheme: of `Medals`. Shares are those of Kaggle's competitions: below 250 rows, the first 10 %
    (from 100 rows on the first ten) have gold, 20 % silver and 40 % bronze; below 1000, the first
    ten and one of 500, 50 and 100 rows; then the first ten and one of 500, 5 % and 10 %.
    """
    if scheme == "none":
        return None
    ends = (1, 2, 3) if scheme == "first_three" else _shares(ranked)
    return next((medal for medal, end in zip(MEDALS, ends, strict=True) if rank <= end), None)


def _shares(ranked: int) -> tuple[int, int, int]:
    """The last rank of each medal. The first rank has gold on the smallest board, too."""
    gold = max(1, ranked // 10) if ranked < 100 else 10 + (ranked // 500 if ranked >= 250 else 0)
    if ranked < 250:
        return gold, max(1, ranked // 5), max(1, ranked * 2 // 5)
    if ranked < 1000:
        return gold, 50, 100
    return gold, ranked // 20, ranked // 10
