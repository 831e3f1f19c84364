"""Computes and stores how certain the order of a board is, some time after the board has changed.

Workers do this between other work; requests never do. After a change, a board has no certainty
until a worker has computed it for the new version. One computation covers all changes until then.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Final, NamedTuple

from django.core.cache import cache
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from leaderboard.models import Board, BoardCertainty
from leaderboard.rules.ranking.board_summaries import BoardSummary
from leaderboard.rules.statistics.certainties import Certainty, RankedEntry
from leaderboard.rules.statistics.clustering import (
    Clustering,
    ClusteringJson,
    clustered_parts,
    suggested_clusters,
)
from leaderboard.rules.statistics.parts import TaskParts
from leaderboard.rules.statistics.record_tests import StoredRecord
from leaderboard.rules.statistics.verdicts import verdict
from leaderboard.services.board.certainty.board_parts import MOST_ENTRIES, BoardParts, parts_of
from leaderboard.services.board.certainty.movement import movements
from leaderboard.services.board.certainty.records import records_of
from leaderboard.services.board.certainty.summaries import summary_of
from leaderboard.services.board.reading.ranking import page_from
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.reading.totals import totals_of

SECONDS_AT_ONCE: Final = 3.0
"""How many seconds a worker spends on certainties before it does other work."""
SHORT: Final = 0.25
"""Seconds: if a computation took longer, the board has to wait for the next one."""
REST: Final = 20
"""A board waits this many times as long as its last computation took, so that all computations
together take at most a twentieth of the time of one worker."""
MOVEMENT_AGE: Final = timedelta(days=1)
"""After this time, movements are computed again."""
CLAIM_SECONDS: Final = 60
"""No other worker computes the same board within this time."""

logger = logging.getLogger(__name__)


def look_after_certainty() -> int:
    """Compute the certainty of boards that have changed; returns of how many.

    It ends after some seconds; the next call continues.
    """
    _let_movements_age()
    until, done = time.monotonic() + SECONDS_AT_ONCE, 0
    for board_id in Board.objects.to_be_judged().order_by("pk").values_list("pk", flat=True):
        if time.monotonic() > until:
            break
        done += _in_turn(board_id)
    return done


def judge(board: Board) -> bool:
    """Store the certainty of a board; False if the board has changed in the meantime."""
    computed = _computed(board)
    with transaction.atomic():
        same = Board.objects.filter(pk=board.pk, version=board.version, filled_to=None)
        if not same.update(judged_version=board.version):
            return False
        stored = BoardCertainty(board=board, version=board.version, moves=computed.moves)
        stored.computed_at, stored.ranked = timezone.now(), computed.ranked
        stored.records, stored.clustering = computed.records, computed.clustering
        if computed.certainty is not None:
            stored.keep(computed.certainty)
        stored.keep_summary(computed.summary)
        _keep_ranks_before(stored)
        BoardCertainty.objects.filter(board=board).delete()
        stored.save(force_insert=True)
    return True


def _keep_ranks_before(stored: BoardCertainty) -> None:
    """Keep the ranks of the oldest version of which nobody has been told that they were lost."""
    old = BoardCertainty.objects.filter(board=stored.board).values_list("before", "rows", "told_at")
    for before, rows, told_at in old:
        stored.before, stored.told_at = before or rows or None, told_at


def _in_turn(board_id: int) -> bool:
    """Compute one board, unless another worker does so or its last computation was long."""
    key, began = f"certainty:{board_id}", time.monotonic()
    if not cache.add(key, True, CLAIM_SECONDS):
        return False
    rest = 0.0
    try:
        board = Board.objects.to_be_judged().filter(pk=board_id).first()
        done = board is not None and judge(board)
        spent = time.monotonic() - began
        rest = spent * REST if spent > SHORT else 0.0
    except Exception:  # no board, whatever its evidence, may end the sweeper
        logger.exception("the certainty of board %s could not be computed", board_id)
        done, rest = False, float(CLAIM_SECONDS)
    if rest:
        cache.set(key, True, max(1, round(rest)))
    else:
        cache.delete(key)
    return done


def _let_movements_age() -> None:
    """Raise the versions of boards with old movements or an old number of attempts in a week.

    They are computed and loaded again then.
    """
    old = timezone.now() - MOVEMENT_AGE
    aged = Board.objects.filter(certainty__computed_at__lt=old, judged_version=F("version"))
    moved = (
        aged.exclude(certainty__moves={}, certainty__in_a_week=0).under_shown_config().complete()
    )
    ids = list(moved.values_list("pk", flat=True))
    if ids:
        Board.objects.filter(pk__in=ids).update(version=F("version") + 1)


class _Computed(NamedTuple):
    """What is stored of a board. ranked: its number of ranked rows."""

    certainty: Certainty | None
    ranked: int
    moves: dict[str, int]
    summary: BoardSummary
    records: list[StoredRecord]
    clustering: ClusteringJson | None = None


def _computed(board: Board) -> _Computed:
    """The certainty, the movements and the summary of the board's first ranked rows."""
    ranked = totals_of(board).ranked
    page = page_from(board, 0, limit=min(ranked, MOST_ENTRIES)) if ranked else None
    rows = [row for row in page.rows if row.rank is not None] if page else []
    if not rows:
        return _Computed(None, ranked, {}, summary_of(board, []), [])
    moves, key = movements(board, rows), board.config.ranking.keys[0].key
    summary = summary_of(board, rows)
    if key == "submitted_at":
        return _Computed(None, ranked, moves, summary, [])
    board_parts = parts_of(board, rows)
    entries = [_entry(row, row.rank or 0, key) for row in rows[: board_parts.compared]]
    seed = board.config.challenge_id.int << 64 | board.version
    certainty = Certainty.of(
        entries,
        board_parts.parts,
        seed=seed,
        why=board_parts.why,
        too_large=board_parts.too_large,
        bounds=board_parts.bounds,
    )
    clustering = _clustering(board, entries, board_parts)
    return _Computed(certainty, ranked, moves, summary, records_of(board, rows), clustering)


def _clustering(
    board: Board, entries: Sequence[RankedEntry], board_parts: BoardParts
) -> ClusteringJson | None:
    """The clusters of the tasks, or those that names suggest, with the verdict of the other choice.

    None if there are no clusters, or the entries cannot be compared.
    """
    parts, tasks = board_parts.parts, board_parts.tasks
    if parts is None:
        return None
    declared = parts.clusters is not None
    names = board.ranked_by.task_clusters if declared else suggested_clusters(tasks)
    with_clusters = parts if declared else clustered_parts(parts, tasks, names)
    if with_clusters is None:
        return None
    other = TaskParts(parts.above, parts.below, parts.direction) if declared else with_clusters
    ranks, values = [entry.rank for entry in entries], [entry.value for entry in entries]
    alternative = verdict(other, values=values, ranks=ranks)
    return Clustering.of(with_clusters, names, alternative, is_declared=declared).as_json()


def _entry(row: BoardRow, rank: int, key: str) -> RankedEntry:
    cell = row.cells.get(key)
    ends = cell.get("interval") if cell else None
    interval = (ends[0], ends[1]) if ends else None
    attempt = row.attempt_id.hex if row.attempt_id else ""
    return RankedEntry(attempt, row.participant.pk, rank, row.values[key], interval)
