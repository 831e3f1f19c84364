"""Buckets: the number of standings in each range of a board's sort keys, updated by its writers.

Code that changes standings locks the challenge, then the board (`boards.boards_to_write`), writes,
and updates the buckets at the end (`move`), in one transaction. In this order writers neither
deadlock nor count from an outdated key.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence

from django.db import connection

from leaderboard.models import Bucket, Standing
from leaderboard.models.prepared import changed, fetch

SIZE = 128
"""Standings in a new bucket."""
MOST = 2 * SIZE
"""A bucket with more is split."""
FIRST = b""

_ALL = "SELECT low, n FROM leaderboard_bucket WHERE board_id = %s ORDER BY low"
_BOUNDS = """
    SELECT sort_key, place - 1 FROM (
        SELECT sort_key, row_number() OVER (ORDER BY sort_key) AS place
        FROM leaderboard_standing WHERE board_id = %s
    ) k WHERE (place - 1) %% %s = 0 ORDER BY place"""
_SET = """
    UPDATE leaderboard_bucket SET n = v.column2 FROM (VALUES SIZES) AS v
    WHERE leaderboard_bucket.board_id = %s AND leaderboard_bucket.low = v.column1"""
_MOVE = """
    UPDATE leaderboard_bucket SET n = n + moved.by
    FROM (
        SELECT (SELECT low FROM leaderboard_bucket WHERE board_id = %s AND low <= v.column1
                ORDER BY low DESC LIMIT 1) AS low, sum(v.column2) AS by
        FROM (VALUES CHANGES) AS v GROUP BY 1
    ) moved
    WHERE leaderboard_bucket.board_id = %s AND leaderboard_bucket.low = moved.low
          AND moved.by <> 0
    RETURNING leaderboard_bucket.low, leaderboard_bucket.n"""
FEW = 2
"""So many keys are counted by one statement; for more, all buckets are read."""
_BYTES = {"postgresql": "bytea", "sqlite": "blob"}


def build(board_id: int) -> None:
    """Build the buckets of a board, replacing any earlier ones.

    No other process may write to the board at the same time.
    """
    drop(board_id)
    bounds = fetch(_BOUNDS, [board_id, SIZE])
    total = Standing.objects.filter(board=board_id).count()
    lows = [FIRST, *(bytes(key) for key, _ in bounds[1:])]
    _insert(board_id, lows, [0, *(place for _, place in bounds[1:])], total)


def start(board_id: int) -> None:
    """Give a new board its first bucket. It has no standings and no buckets yet."""
    _insert(board_id, [FIRST], [0], 0)


def drop(board_id: int) -> None:
    """Delete the buckets of a board that is no longer shown, or that is about to be built."""
    Bucket.objects.filter(board=board_id).delete()


def move(board_id: int, moved: Mapping[bytes, int]) -> None:
    """Count the sort keys that were added (1) or removed (-1) since the board was locked."""
    keys = {key: by for key, by in moved.items() if by}
    if not keys:
        return
    if len(keys) <= FEW:
        new_sizes = fetch(
            _MOVE.replace("CHANGES", _marks(keys)), [board_id, *_flat(keys), board_id]
        )
        _split_or_drop(board_id, {bytes(low): n for low, n in new_sizes})
        return
    sizes = {bytes(low): n for low, n in fetch(_ALL, [board_id])}
    lows = sorted(sizes)
    changes: Counter[bytes] = Counter()
    for key, by in keys.items():
        changes[lows[bisect_right(lows, key) - 1]] += by
    _resize(board_id, {low: sizes[low] + by for low, by in changes.items() if by})


def differences(board_id: int) -> list[str]:
    """The errors in the buckets of a board, a line each."""
    stored = [(bytes(low), n) for low, n in fetch(_ALL, [board_id])]
    if not stored:
        return ["the board has no buckets"]
    lows = [low for low, _ in stored]
    counted = Counter(dict.fromkeys(lows, 0))
    keys = Standing.objects.filter(board=board_id).order_by("sort_key")
    for key in keys.values_list("sort_key", flat=True).iterator():
        counted[lows[bisect_right(lows, bytes(key)) - 1]] += 1
    wrong = [] if lows[0] == FIRST else ["the first bucket is missing"]
    return wrong + [
        f"the bucket from {low.hex() or 'the first key'} on: stored {n}, there are {counted[low]}"
        for low, n in stored
        if n != counted[low]
    ]


def _resize(board_id: int, sizes: Mapping[bytes, int]) -> None:
    """Save the new sizes of buckets."""
    if sizes:
        changed(_SET.replace("SIZES", _marks(sizes)), [*_flat(sizes), board_id])
        _split_or_drop(board_id, sizes)


def _split_or_drop(board_id: int, sizes: Mapping[bytes, int]) -> None:
    """Split buckets that are too large, and delete empty ones."""
    for low, n in sizes.items():
        if n > MOST:
            _split(board_id, low)
    if gone := [low for low, n in sizes.items() if n <= 0 and low != FIRST]:
        Bucket.objects.filter(board=board_id, low__in=gone).delete()


def _marks(numbers: Mapping[bytes, int]) -> str:
    """The parameters of `_flat` as rows of VALUES."""
    marks = ", ".join(["(CAST(%s AS BYTES), CAST(%s AS integer))"] * len(numbers))
    return marks.replace("BYTES", _BYTES[connection.vendor])


def _flat(numbers: Mapping[bytes, int]) -> list[bytes | int]:
    return [value for row in numbers.items() for value in row]


def _split(board_id: int, low: bytes) -> None:
    after = Bucket.objects.filter(board=board_id, low__gt=low).order_by("low")
    end = after.values_list("low", flat=True).first()
    inside = Standing.objects.filter(board=board_id, sort_key__gte=low).order_by("sort_key")
    if end is not None:
        inside = inside.filter(sort_key__lt=end)
    keys = [bytes(key) for key in inside.values_list("sort_key", flat=True)]
    Bucket.objects.filter(board=board_id, low=low).delete()
    _insert(board_id, [low, *keys[SIZE::SIZE]], range(0, len(keys), SIZE), len(keys))


def _insert(board_id: int, lows: Sequence[bytes], places: Sequence[int], total: int) -> None:
    """Insert buckets that begin at `lows`.

    places: for each, how many of the `total` standings come before it.
    """
    ends = [*places[1:], total]
    Bucket.objects.bulk_create(
        Bucket(board_id=board_id, low=low, n=end - start)
        for low, start, end in zip(lows, places, ends, strict=True)
    )
