"""Which columns of a board are kept in order: those that a large board shows, beside the facts.

Workers see to it, some time after a board has become large or shows other columns. Until then, and
where a column is not among them, the database sorts the board for each page.
"""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.core.cache import cache
from django.db import connection

from leaderboard.columns import named_keys
from leaderboard.models import Challenge, SortedColumn, SortedValue
from leaderboard.models.prepared import fetch
from leaderboard.models.upkeep import vacuum
from leaderboard.services.board import sorted_values
from leaderboard.services.board.ranking import columns_of
from leaderboard.services.board.ranks import fences
from leaderboard.services.board.sorting import INDEXED
from leaderboard.services.transactions import retried

LEAST = 2000
"""A shorter board is sorted in a few milliseconds."""
MOST = {"postgresql": 8, "sqlite": 4}
"""Columns of a board: each costs whoever writes a standing a row more, and SQLite five pages."""
SECONDS_PER_LOOK = 60

_LARGE = """
    SELECT c.id FROM leaderboard_challenge c
    WHERE (SELECT coalesce(sum(b.n), 0) FROM leaderboard_bucket b
           WHERE b.config_id = c.shown_config_id) >= %s"""


def keys_of(challenge: Challenge) -> list[str]:
    """The columns to keep in order: what the board ranks by, what it names, then its others."""
    named = set(named_keys(challenge.columns))
    columns = [each for each in columns_of(challenge) if each.key not in INDEXED]
    columns.sort(key=lambda each: (not each.ranked, each.key not in named))
    return [each.key for each in columns[: MOST[connection.vendor]]]


def look_after_columns() -> int:
    """Have all large boards keep the columns in order that they show; how many have changed.

    Does nothing where a worker has looked within the last minute.
    """
    if not cache.add("sorted-columns", True, SECONDS_PER_LOOK):
        return 0
    large = [key for (key,) in fetch(_LARGE, [LEAST])]
    return sum(keep_columns(each) for each in Challenge.objects.filter(pk__in=large))


def keep_columns(challenge: Challenge) -> int:
    """Have a board that is large keep the columns in order that it shows; how many have changed.

    Each column is a transaction of its own, so that nobody who scores waits for all of them.
    """
    changes = _changes(challenge.pk)
    for key in changes:
        retried(partial(_change, challenge.pk, key))
    if changes:
        vacuum(SortedValue)
    return len(changes)


def _changes(challenge_id: UUID) -> dict[str, bool]:
    """The columns whose values are to be kept in order now (True), and no longer."""
    challenge = Challenge.objects.select_related("shown_config").get(pk=challenge_id)
    config = challenge.shown
    if fences(config.pk).ahead[-1] < LEAST:
        return {}
    there = set(SortedColumn.objects.filter(config=config).values_list("key", flat=True))
    wanted = keys_of(challenge)
    new = {key: True for key in wanted if key not in there}
    return dict.fromkeys(sorted(there.difference(wanted)), False) | new


def _change(challenge_id: UUID, key: str) -> None:
    """Whatever has happened since to the challenge, its board is nobody else's until the end."""
    Challenge.objects.hold_board(challenge_id)
    wanted = _changes(challenge_id).get(key)
    config = Challenge.objects.values_list("shown_config", flat=True).get(pk=challenge_id)
    if wanted and config:
        sorted_values.build(config, key)
    elif wanted is False and config:
        sorted_values.drop(config, [key])
