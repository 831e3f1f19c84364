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
NUMBERED = 40
"""Bytes of a key that say how far it is from another."""

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
    SELECT v.at,
           (SELECT count(*) FROM leaderboard_standing
            WHERE config_id = %s AND sort_key >= v.first AND sort_key < v.behind),
           (SELECT count(*) FROM (
                SELECT 1 AS one FROM leaderboard_standing
                WHERE config_id = %s AND sort_key >= v.rank_key AND sort_key < v.after LIMIT 2
           ) two)
    FROM (KEYS) v"""
# Texts: the driver takes longer to write arrays of bytes than the database to count. A text of a
# single empty key is an array without any.
_KEYS = {
    "postgresql": """
        SELECT coalesce(decode(h.first, 'hex'), '') AS first, decode(h.behind, 'hex') AS behind,
               decode(h.rank_key, 'hex') AS rank_key,
               decode(h.rank_key || 'AFTER', 'hex') AS after, h.at
        FROM unnest(string_to_array(%s, ','), string_to_array(%s, ','), string_to_array(%s, ','))
             WITH ORDINALITY AS h(first, behind, rank_key, at)
        OFFSET 0""".replace("AFTER", AFTER_EQUALS.hex()),
    "sqlite": """
        SELECT column1 AS first, column2 AS behind, column3 AS rank_key, column4 AS after,
               column5 AS at
        FROM (VALUES MARKS)""",
}


class RankPosition(NamedTuple):
    """How many stand ahead of a rank key, and whether several have it."""

    better: int
    tied: bool


class Range(NamedTuple):
    """Sort keys to count for a place: what is ahead is `ahead` and `sign` times that many."""

    first: bytes
    behind: bytes
    ahead: int
    sign: int


@dataclass(frozen=True, slots=True)
class Fences:
    """The sort keys at which a board's buckets begin, and how many standings are ahead of each.

    `ahead` has one number more: how many there are in all.
    """

    lows: Sequence[bytes]
    ahead: Sequence[int]

    def range_of(self, key: bytes) -> Range:
        """What lies between a key and the nearer of the fences around it, as it seems."""
        at = bisect_right(self.lows, key) - 1
        low = self.lows[at]
        if at + 1 < len(self.lows):
            high = self.lows[at + 1]
            if _number(low) + _number(high) < 2 * _number(key):
                return Range(key, high, self.ahead[at + 1], -1)
        return Range(low, key, self.ahead[at], 1)

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


def place_of(config_id: int, rank_key: bytes) -> RankPosition:
    """Who is ahead of one rank key."""
    found = fetch(_EQUAL, [config_id, rank_key, rank_key + AFTER_EQUALS])
    return RankPosition(ahead(config_id, rank_key), len(found) > 1)


def places(config_id: int, rank_keys: Collection[bytes]) -> dict[bytes, RankPosition]:
    """Who is ahead of each of some rank keys."""
    keys = sorted(rank_keys)
    if len(keys) <= 1:
        return {key: place_of(config_id, key) for key in keys}
    known = fences(config_id)
    found: dict[bytes, RankPosition] = {}
    for start in range(0, len(keys), KEYS_PER_STATEMENT):
        found |= _places(config_id, known, keys[start : start + KEYS_PER_STATEMENT])
    return found


def _places(config_id: int, known: Fences, keys: Sequence[bytes]) -> dict[bytes, RankPosition]:
    ranges = [known.range_of(key) for key in keys]
    firsts, behind = [each.first for each in ranges], [each.behind for each in ranges]
    if connection.vendor == "postgresql":
        columns = [",".join(map(bytes.hex, column)) for column in (firsts, behind, keys)]
        sql = _EACH.replace("KEYS", _KEYS["postgresql"])
        rows = fetch(sql, [config_id, config_id, *columns])
    else:
        marks = ", ".join(["(%s, %s, %s, %s, %s)"] * len(keys))
        ends = [key + AFTER_EQUALS for key in keys]
        each = [value for row in zip(firsts, behind, keys, ends, count(1)) for value in row]
        sql = _EACH.replace("KEYS", _KEYS["sqlite"].replace("MARKS", marks))
        rows = fetch(sql, [config_id, config_id, *each])
    return {
        keys[at - 1]: RankPosition(ranges[at - 1].ahead + ranges[at - 1].sign * between, equal > 1)
        for at, between, equal in rows
    }


def _number(key: bytes) -> int:
    """A key as a number: differences of numbers say how far keys are apart."""
    return int.from_bytes(key[:NUMBERED].ljust(NUMBERED, b"\0"))
