"""How many stand ahead, on boards of any length: by buckets, and a count within one of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate, count
from typing import NamedTuple

from django.db import connection

from leaderboard.models import Standing
from leaderboard.models.prepared import fetch
from leaderboard.rules.sortkey import REACHED_LENGTH

AFTER_EQUALS = b"\xff" * (REACHED_LENGTH + 1)
"""Behind a rank key, this sorts after every row that has the key."""
KEYS_PER_STATEMENT = 200

_ALL = "SELECT low, n FROM leaderboard_bucket WHERE config_id = %s ORDER BY low"
_AHEAD = """
    SELECT (SELECT coalesce(sum(n), 0) FROM leaderboard_bucket
            WHERE config_id = %s AND low < b.low)
         + (SELECT count(*) FROM leaderboard_standing
            WHERE config_id = %s AND sort_key >= b.low AND sort_key < %s)
    FROM (SELECT low FROM leaderboard_bucket
          WHERE config_id = %s AND low <= %s ORDER BY low DESC LIMIT 1) b"""
_EQUAL = """
    SELECT 1 AS one FROM leaderboard_standing
    WHERE config_id = %s AND sort_key >= %s AND sort_key < %s LIMIT 2"""
_EACH = """
    SELECT v.column4,
           (SELECT count(*) FROM leaderboard_standing
            WHERE config_id = %s AND sort_key >= v.column1 AND sort_key < v.column2),
           (SELECT count(*) FROM (
                SELECT 1 AS one FROM leaderboard_standing
                WHERE config_id = %s AND sort_key >= v.column2 AND sort_key < v.column3 LIMIT 2
           ) two)
    FROM KEYS"""
_ARRAYS = """
    unnest(%s::bytea[], %s::bytea[], %s::bytea[])
    WITH ORDINALITY AS v(column1, column2, column3, column4)"""


class Place(NamedTuple):
    """How many stand ahead of a rank key, and whether several have it."""

    better: int
    tied: bool


@dataclass(frozen=True, slots=True)
class Fences:
    """The sort keys at which a board's buckets begin, and how many standings are ahead of each.

    `ahead` has one number more: how many there are in all.
    """

    lows: Sequence[bytes]
    ahead: Sequence[int]

    def below(self, key: bytes) -> tuple[bytes, int]:
        """The last fence that is not behind a key, and how many standings are ahead of it."""
        at = bisect_right(self.lows, key) - 1
        return self.lows[at], self.ahead[at]

    def before(self, place: int) -> tuple[bytes, int]:
        """The last fence with at most `place` standings ahead of it, and how many those are."""
        at = min(bisect_right(self.ahead, place), len(self.lows)) - 1
        return self.lows[at], self.ahead[at]


def fences(config_id: int) -> Fences:
    """The fences of a board; one without buckets, as nobody sees it yet, has a single one."""
    found = fetch(_ALL, [config_id])
    if not found:
        return Fences([b""], [0, Standing.objects.filter(config=config_id).count()])
    return Fences([bytes(low) for low, _ in found], [0, *accumulate(n for _, n in found)])


def ahead(config_id: int, key: bytes) -> int:
    """How many standings have a smaller sort key."""
    found = fetch(_AHEAD, [config_id, config_id, key, config_id, key])
    if found:
        return int(found[0][0])
    return Standing.objects.filter(config=config_id, sort_key__lt=key).count()


def place_of(config_id: int, rank_key: bytes) -> Place:
    """Who is ahead of one rank key."""
    found = fetch(_EQUAL, [config_id, rank_key, rank_key + AFTER_EQUALS])
    return Place(ahead(config_id, rank_key), len(found) > 1)


def places(config_id: int, rank_keys: Collection[bytes]) -> dict[bytes, Place]:
    """Who is ahead of each of some rank keys."""
    keys = sorted(rank_keys)
    if len(keys) <= 1:
        return {key: place_of(config_id, key) for key in keys}
    known = fences(config_id)
    found: dict[bytes, Place] = {}
    for start in range(0, len(keys), KEYS_PER_STATEMENT):
        found |= _places(config_id, known, keys[start : start + KEYS_PER_STATEMENT])
    return found


def _places(config_id: int, known: Fences, keys: Sequence[bytes]) -> dict[bytes, Place]:
    lows, ends = [known.below(key)[0] for key in keys], [key + AFTER_EQUALS for key in keys]
    if connection.vendor == "postgresql":
        rows = fetch(_EACH.replace("KEYS", _ARRAYS), [config_id, config_id, lows, list(keys), ends])
    else:
        marks = ", ".join(["(%s, %s, %s, %s)"] * len(keys))
        each = [value for row in zip(lows, keys, ends, count(1)) for value in row]
        rows = fetch(_EACH.replace("KEYS", f"(VALUES {marks}) AS v"), [config_id, config_id, *each])
    return {
        keys[at - 1]: Place(known.below(keys[at - 1])[1] + between, equal > 1)
        for at, between, equal in rows
    }
