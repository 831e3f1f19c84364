"""Which columns of a board are kept in order: those that a large board shows, beside the facts.

Workers see to it, some time after a board has become large or shows other columns. Until then, and
where a column is not among them, the database sorts the board for each page.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import NamedTuple
from uuid import UUID

from django.core.cache import cache
from django.db import connection

from leaderboard.columns import named_keys
from leaderboard.models import Challenge, SortedColumn, SortedValue, Worker
from leaderboard.models.prepared import fetch
from leaderboard.models.upkeep import vacuum
from leaderboard.services.board.ranking import columns_of
from leaderboard.services.board.ranks import fences
from leaderboard.services.board.sorted_pieces import Pace, begin, build, clear
from leaderboard.services.board.sorting import INDEXED
from leaderboard.services.transactions import retried
from leaderboard.version import VERSION

LEAST = 2000
"""A shorter board is sorted in a few milliseconds."""
MOST = {"postgresql": 8, "sqlite": 4}
"""Columns of a board: each costs whoever writes a standing a row more, and SQLite five pages."""
SECONDS_PER_LOOK = 60
SECONDS_AT_ONCE = 3
"""A worker that looks has other things to see to."""
LOOKED = "sorted-columns"
SILENT = timedelta(minutes=1)
"""Workers of another release that were seen within this time may still write boards without their
columns: nothing is built meanwhile."""

_LARGE = """
    SELECT c.id FROM leaderboard_challenge c
    WHERE (SELECT coalesce(sum(b.n), 0) FROM leaderboard_bucket b
           WHERE b.config_id = c.shown_config_id) >= %s"""


class ColumnPlan(NamedTuple):
    """What is to change about the config that a board shows: columns that it keeps in order for
    nothing, and those that it does not keep yet or that are being built."""

    config_id: int
    unwanted: list[str]
    missing: list[str]


def keys_of(challenge: Challenge) -> list[str]:
    """The columns to keep in order: what the board ranks by, what it names, then its others."""
    named = set(named_keys(challenge.columns))
    columns = [each for each in columns_of(challenge) if each.key not in INDEXED]
    columns.sort(key=lambda each: (not each.ranked, each.key not in named))
    return [each.key for each in columns[: MOST[connection.vendor]]]


def look_after_columns() -> int:
    """Have all large boards keep the columns in order that they show; how many have changed.

    Does nothing where a worker has looked within the last minute, and ends after some seconds:
    then the next one that looks goes on.
    """
    if not cache.add(LOOKED, True, SECONDS_PER_LOOK):
        return 0
    pace = Pace(SECONDS_AT_ONCE)
    changes = clear(pace)
    large = [key for (key,) in fetch(_LARGE, [LEAST])]
    changes += sum(keep_columns(each, pace) for each in Challenge.objects.filter(pk__in=large))
    if pace.is_over:
        cache.delete(LOOKED)
    return changes


def keep_columns(challenge: Challenge, pace: Pace | None = None) -> int:
    """Have a board that is large keep the columns in order that it shows; how many have changed.

    Without a pace, until all of it is done. Nobody who scores waits for more than a piece.
    """
    pace = pace or Pace()
    plan = _plan(challenge.pk)
    changes = retried(partial(_give_up, challenge.pk)) if plan.unwanted else 0
    changed = changes + clear(pace)
    for key in plan.missing:
        if not pace.is_over:
            config = retried(partial(_begin, challenge.pk, key))
            built = config is not None and build(config, key, pace)
            changes, changed = changes + built, changed + built
    if changed:
        vacuum(SortedValue)
    return changes


def _plan(challenge_id: UUID) -> ColumnPlan:
    challenge = Challenge.objects.select_related("shown_config").get(pk=challenge_id)
    config = challenge.shown
    columns = SortedColumn.objects.kept().filter(config=config)
    there = dict(columns.up_to_date().values_list("key", "state"))
    others = Worker.objects.alive(SILENT).exclude(version=VERSION)
    short = fences(config.pk).ahead[-1] < LEAST
    wanted = list(there) if short else keys_of(challenge)
    missing = [key for key in wanted if there.get(key) != SortedColumn.State.READY]
    useless = columns.exclude(key__in=there.keys() & set(wanted)).values_list("key", flat=True)
    return ColumnPlan(config.pk, sorted(useless), [] if missing and others.exists() else missing)


def _give_up(challenge_id: UUID) -> int:
    """Whatever has happened since to the challenge, its board is nobody else's until the end."""
    Challenge.objects.hold_board(challenge_id)
    plan = _plan(challenge_id)
    columns = SortedColumn.objects.filter(config=plan.config_id, key__in=plan.unwanted)
    return columns.give_up()


def _begin(challenge_id: UUID, key: str) -> int | None:
    """The config that the board shows, if the column is still missing from it."""
    Challenge.objects.hold_board(challenge_id)
    plan = _plan(challenge_id)
    if key not in plan.missing:
        return None
    begin(plan.config_id, key)
    return plan.config_id
