"""The number of standings ahead of a key: a sum over buckets, and a count within one of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, count
from typing import NamedTuple

from django.db import connection

from leaderboard.models import Board, Standing
from leaderboard.models.prepared import fetch
from leaderboard.rules.sortkey import REACHED_LENGTH

AFTER_EQUALS = b"\xff" * (REACHED_LENGTH + 1)
"""A suffix that makes a rank key sort after every row with that rank key."""
KEYS_PER_STATEMENT = 200
MOST_BOARDS = 32
"""The number of boards whose bucket bounds a process caches."""
NUMBERED = 40
"""The leading bytes of a key that are compared as a number."""

_ALL = "SELECT low, n FROM leaderboard_bucket WHERE board_id = %s ORDER BY low"
# In a SELECT of their own, PostgreSQL does not see the keys when it plans, so it plans once.
_BETWEEN = """
    SELECT count(*) FROM leaderboard_standing
    WHERE board_id = %s AND sort_key >= (SELECT %s) AND sort_key < (SELECT %s)"""
_EACH = """
    SELECT v.at,
           (SELECT count(*) FROM leaderboard_standing
            WHERE board_id = %s AND sort_key >= v.first AND sort_key < v.behind),
           (SELECT count(*) FROM (
                SELECT 1 AS one FROM leaderboard_standing
                WHERE board_id = %s AND sort_key >= v.rank_key AND sort_key < v.after LIMIT 2
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
    """How many standings are ahead of a rank key, and whether several share it."""

    better: int
    tied: bool


class Range(NamedTuple):
    """The sort keys to count for a rank: `first` <= key < `behind`.

    The number of standings ahead is `ahead` + `sign` * their count.
    """

    first: bytes
    behind: bytes
    ahead: int
    sign: int


@dataclass(frozen=True)
class BucketBounds:
    """The bucket boundaries of a board: sort keys, and how many standings are ahead of each.

    A bucket begins at each key. `ahead` has one more number at the end: that of all standings.
    """

    lows: Sequence[bytes]
    ahead: Sequence[int]

    @cached_property
    def places(self) -> Mapping[bytes, int]:
        """How many standings are ahead of each key at which a bucket begins."""
        return dict(zip(self.lows, self.ahead, strict=False))

    def range_of(self, key: bytes) -> Range:
        """The range between a key and the end of its bucket that is probably nearer.

        Keys are compared as numbers; the other end would give the same rank.
        """
        at = bisect_right(self.lows, key) - 1
        low = self.lows[at]
        if at + 1 < len(self.lows):
            high = self.lows[at + 1]
            if _number(low) + _number(high) < 2 * _number(key):
                return Range(key, high, self.ahead[at + 1], -1)
        return Range(low, key, self.ahead[at], 1)

    def before(self, place: int) -> tuple[bytes, int]:
        """The last bound with at most `place` standings ahead of it, and their number."""
        at = min(bisect_right(self.ahead, place), len(self.lows)) - 1
        return self.lows[at], self.ahead[at]


def bucket_bounds(board_id: int) -> BucketBounds:
    """The bucket bounds of a board. A board without buckets, which is not shown, has one bound."""
    buckets = fetch(_ALL, [board_id])
    if not buckets:
        return BucketBounds([b""], [0, Standing.objects.filter(board=board_id).count()])
    return BucketBounds(
        [bytes(low) for low, _ in buckets], [0, *accumulate([n for _, n in buckets])]
    )


def bucket_bounds_of(board: Board) -> BucketBounds:
    """The bucket bounds of a board that was read, read once per process and version.

    Each change of the board's standings raises the version in the same transaction, so the bounds
    are those of the version, or newer ones if another process has just changed the board.
    """
    return _bounds_of_version(board.read_pk, board.version)


@lru_cache(maxsize=MOST_BOARDS)
def _bounds_of_version(board_id: int, version: int) -> BucketBounds:
    return bucket_bounds(board_id)


def forget_bucket_bounds() -> None:
    """Empty the cache of bounds: another database may use the same ids and versions."""
    _bounds_of_version.cache_clear()


def ahead(board_id: int, key: bytes, bounds: BucketBounds) -> int:
    """How many standings have a smaller sort key. bounds: those of the board."""
    first, behind, before, sign = bounds.range_of(key)
    between = 0 if first == behind else int(fetch(_BETWEEN, [board_id, first, behind])[0][0])
    return before + sign * between


def places(
    board_id: int, rank_keys: Collection[bytes], bounds: BucketBounds
) -> dict[bytes, RankPosition]:
    """The position of each rank key. bounds: those of the board."""
    keys = sorted(rank_keys)
    positions: dict[bytes, RankPosition] = {}
    for start in range(0, len(keys), KEYS_PER_STATEMENT):
        positions |= _places(board_id, bounds, keys[start : start + KEYS_PER_STATEMENT])
    return positions


def _places(
    board_id: int, bounds: BucketBounds, keys: Sequence[bytes]
) -> dict[bytes, RankPosition]:
    ranges = [bounds.range_of(key) for key in keys]
    firsts, behind = (
        [key_range.first for key_range in ranges],
        [key_range.behind for key_range in ranges],
    )
    if connection.vendor == "postgresql":
        columns = [",".join(map(bytes.hex, column)) for column in (firsts, behind, keys)]
        sql = _EACH.replace("KEYS", _KEYS["postgresql"])
        rows = fetch(sql, [board_id, board_id, *columns])
    else:
        marks = ", ".join(["(%s, %s, %s, %s, %s)"] * len(keys))
        ends = [key + AFTER_EQUALS for key in keys]
        parameters = [value for row in zip(firsts, behind, keys, ends, count(1)) for value in row]
        sql = _EACH.replace("KEYS", _KEYS["sqlite"].replace("MARKS", marks))
        rows = fetch(sql, [board_id, board_id, *parameters])
    return {
        keys[at - 1]: RankPosition(ranges[at - 1].ahead + ranges[at - 1].sign * between, equal > 1)
        for at, between, equal in rows
    }


def _number(key: bytes) -> int:
    """The first bytes of a key as a number, for comparing the distances of keys."""
    return int.from_bytes(key[:NUMBERED].ljust(NUMBERED, b"\0"))
