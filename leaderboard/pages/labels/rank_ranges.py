"""The rank interval of a row as text, the same on every page, badge, picture and feed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.columns.column import NOTHING
from leaderboard.languages.translation import count_text
from leaderboard.rules.statistics.certainties import CertainRow
from leaderboard.rules.statistics.pairwise import MIN_SHARED
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.certainty import VisibleCertainty

_REASONS: Final[Mapping[str, object]] = {
    "few_groups": gettext_lazy(
        "no rank interval: fewer than {least} groups of tasks, or very unequal ones"
    ),
    "few_tasks": gettext_lazy("no rank interval: fewer than {least} tasks"),
    "no_samples": gettext_lazy("no rank interval: without samples"),
    "too_large_rewards": gettext_lazy("no rank interval: rewards are too large"),
}


class RankRange(NamedTuple):
    """A rank interval: `1–3` and its meaning, or `–` and the reason. text: "" for no interval at
    all, because no row of the board has one."""

    text: str
    hint: str

    @property
    def is_known(self) -> bool:
        return self.text not in ("", NOTHING)


def rank_range(certain: VisibleCertainty | None, row: BoardRow) -> RankRange:
    """The rank interval of a row of a board. certain: None if the reader may not know it."""
    if certain is None or row.rank is None or not certain.has_intervals:
        return RankRange("", "")
    return _of(certain.of(row))


def rank_range_of(certain: VisibleCertainty | None, attempt: UUID) -> RankRange:
    """The rank interval of an attempt with a rank."""
    if certain is None or not certain.has_intervals:
        return RankRange("", "")
    return _of(certain.of_attempt(attempt))


def ranked_text(certain: VisibleCertainty | None, row: BoardRow) -> str:
    """`2 (1–4)`, or `2` without an interval; `2=` for a shared rank, "" without one."""
    text, ranks = rank_text(row), rank_range(certain, row)
    if not ranks.is_known:
        return text
    return _("{rank} ({interval})").format(rank=text, interval=ranks.text)


def rank_text(row: BoardRow) -> str:
    """`2`, or `2=` if the rank is shared; "" without one."""
    if row.rank is None:
        return ""
    return f"{row.rank}=" if row.tied else f"{row.rank}"


def _of(certain_row: CertainRow | None) -> RankRange:
    if certain_row is None:
        return RankRange(NOTHING, _("no rank interval: not compared"))
    if certain_row.best is None or certain_row.worst is None:
        reason = str(_REASONS.get(certain_row.reason or "", ""))
        return RankRange(NOTHING, reason.format(least=MIN_SHARED))
    low, high = count_text(certain_row.best), count_text(certain_row.worst)
    if low == high:
        return RankRange(low, _("rank {rank} with 95% confidence").format(rank=low))
    text = _("rank {low} to {high} with 95% confidence")
    return RankRange(f"{low}–{high}", text.format(low=low, high=high))
