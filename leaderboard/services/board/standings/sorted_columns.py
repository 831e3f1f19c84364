"""Chooses which columns a large board keeps sorted: those that it shows, except the facts.

Workers build and drop these columns some time after a board has become large or shows other
columns. Until then, and for all other columns, the database sorts the board for each page.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import NamedTuple
from uuid import UUID

from django.core.cache import cache
from django.db import connection

from leaderboard.columns import named_keys
from leaderboard.models import Board, Challenge, SortedColumn, SortedValue, Worker
from leaderboard.models.prepared import fetch
from leaderboard.models.upkeep import vacuum
from leaderboard.services.board.reading.ranking import columns_of
from leaderboard.services.board.reading.ranks import bucket_bounds
from leaderboard.services.board.reading.sorting import INDEXED
from leaderboard.services.board.standings.sorted_pieces import Pace, begin, build, clear
from leaderboard.services.one_by_one import one_by_one
from leaderboard.services.transactions import retried
from leaderboard.version import VERSION

LEAST = 2000
"""A shorter board is sorted in a few milliseconds."""
MOST = {"postgresql": 8, "sqlite": 4}
"""The most columns of a board: each adds a row to every write of a standing (on SQLite 5 pages)."""
SECONDS_PER_LOOK = 60
SECONDS_AT_ONCE = 3
"""The seconds for columns at a time: a worker has other duties as well."""
LOOKED = "sorted-columns"
SILENT = timedelta(minutes=1)
"""No column is built while a worker of another release was seen within this time, because it may
still write standings without their columns."""

_LARGE = """
    SELECT c.id FROM leaderboard_challenge c
    JOIN leaderboard_board l ON l.config_id = c.shown_config_id
    JOIN leaderboard_bucket b ON b.board_id = l.id
    GROUP BY c.id, l.id HAVING sum(b.n) >= %s"""


class ColumnPlan(NamedTuple):
    """How the sorted columns of a board must change.

    Columns that are no longer needed are dropped; missing and unfinished ones are built.
    """

    challenge_id: UUID
    unwanted: list[str]
    missing: list[str]


def keys_of(challenge: Challenge) -> list[str]:
    """The columns to keep sorted: those that the board ranks by, those it names, then others."""
    named = set(named_keys(challenge.columns))
    columns = [column for column in columns_of(challenge) if column.key not in INDEXED]
    columns.sort(key=lambda column: (not column.ranked, column.key not in named))
    return [column.key for column in columns[: MOST[connection.vendor]]]


def look_after_columns() -> int:
    """Update the sorted columns of all large boards; returns how many columns changed.

    Does nothing if a worker did this within the last minute. It ends after some seconds; the next
    call continues. After a failure the next call tries again.
    """
    if not cache.add(LOOKED, True, SECONDS_PER_LOOK):
        return 0
    pace, is_complete = Pace(SECONDS_AT_ONCE), False
    try:
        changes = clear(pace)
        large = [key for (key,) in fetch(_LARGE, [LEAST])]
        challenges = Challenge.objects.filter(pk__in=large)
        changes += sum(one_by_one(lambda challenge: keep_columns(challenge, pace), challenges))
        is_complete = not pace.is_over
    finally:
        if not is_complete:
            cache.delete(LOOKED)
    return changes


def keep_columns(challenge: Challenge, pace: Pace | None = None) -> int:
    """Update the sorted columns of a challenge's large boards; returns how many columns changed.

    pace: limits the time; without it, the work is completed. Scoring waits for one piece at most.
    """
    pace = pace or Pace()
    boards = Board.objects.under_shown_config().filter(config__challenge=challenge.pk)
    return sum(_keep(board, pace) for board in boards.order_by("pk").values_list("pk", flat=True))


def _keep(board_id: int, pace: Pace) -> int:
    plan = _plan(board_id)
    changes = retried(partial(_give_up, plan.challenge_id, board_id)) if plan.unwanted else 0
    changed = changes + clear(pace)
    for key in plan.missing:
        if not pace.is_over:
            begun = retried(partial(_begin, plan.challenge_id, board_id, key))
            built = begun and build(board_id, key, pace)
            changes, changed = changes + built, changed + built
    if changed:
        vacuum(SortedValue)
    return changes


def _plan(board_id: int) -> ColumnPlan:
    board = Board.objects.select_related("phase", "config__challenge__shown_config").get(
        pk=board_id
    )
    challenge = board.challenge
    columns = SortedColumn.objects.active().filter(board=board)
    states = dict(columns.values_list("key", "state"))
    others = Worker.objects.alive(SILENT).exclude(version=VERSION)
    short = bucket_bounds(board.pk).ahead[-1] < LEAST
    wanted = list(states) if short else keys_of(challenge)
    if board.config_id != challenge.shown_config_id or not board.is_complete:
        wanted = []
    if board.counting == "all":  # A sorted column has one value of a participant.
        wanted = []
    missing = [key for key in wanted if states.get(key) != SortedColumn.State.READY]
    useless = sorted(states.keys() - set(wanted))
    return ColumnPlan(challenge.pk, useless, [] if missing and others.exists() else missing)


def _give_up(challenge_id: UUID, board_id: int) -> int:
    """Drop the unwanted columns of a board, under its lock; returns their number.

    The plan is made again, because the challenge may have changed before the lock was taken.
    """
    Challenge.objects.lock_boards(challenge_id)
    plan = _plan(board_id)
    return SortedColumn.objects.filter(board=board_id, key__in=plan.unwanted).give_up()


def _begin(challenge_id: UUID, board_id: int, key: str) -> bool:
    """Begin a column if it is still missing; returns whether it is."""
    Challenge.objects.lock_boards(challenge_id)
    is_missing = key in _plan(board_id).missing
    if is_missing:
        begin(board_id, key)
    return is_missing
