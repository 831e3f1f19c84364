"""Buckets: how many standings lie between some of a board's sort keys, kept right by who writes.

Whoever changes standings of a board does so inside `counted`, in a transaction that has locked the
challenge first; then writers neither wait for each other crosswise nor count from an old key.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection

from leaderboard.models import Bucket, Standing
from leaderboard.models.prepared import fetch

SIZE = 256
"""Standings in a new bucket."""
MOST = 2 * SIZE
"""A bucket with more is split."""
FEW = 4
"""So many keys are looked up one by one; for more, all buckets of the board are read."""
FIRST = b""

_ALL = "SELECT low, n FROM leaderboard_bucket WHERE config_id = %s ORDER BY low"
_OF = """
    SELECT low, n FROM leaderboard_bucket
    WHERE config_id = %s AND low <= %s ORDER BY low DESC LIMIT 1"""
_FENCES = """
    SELECT sort_key, place - 1 FROM (
        SELECT sort_key, row_number() OVER (ORDER BY sort_key) AS place
        FROM leaderboard_standing WHERE config_id = %s
    ) k WHERE (place - 1) %% %s = 0 ORDER BY place"""
_SET = """
    UPDATE leaderboard_bucket SET n = v.column2 FROM (VALUES SIZES) AS v
    WHERE leaderboard_bucket.config_id = %s AND leaderboard_bucket.low = v.column1"""
_LOCK = {
    "postgresql": "SELECT n FROM leaderboard_bucket WHERE config_id = %s AND low = %s FOR UPDATE",
    "sqlite": "SELECT n FROM leaderboard_bucket WHERE config_id = %s AND low = %s",
}
_KEYS = {
    "postgresql": """
        SELECT sort_key FROM leaderboard_standing
        WHERE config_id = %s AND participant_id = ANY(%s::bigint[])""",
    "sqlite": """
        SELECT sort_key FROM leaderboard_standing
        WHERE config_id = %s AND participant_id IN (SELECT value FROM json_each(%s))""",
}


def build(config_id: int) -> None:
    """The buckets of a board that nobody writes to meanwhile; any earlier ones are replaced."""
    drop(config_id)
    fences = fetch(_FENCES, [config_id, SIZE])
    total = Standing.objects.filter(config=config_id).count()
    lows = [FIRST, *(bytes(key) for key, _ in fences[1:])]
    _insert(config_id, lows, [0, *(place for _, place in fences[1:])], total)


def drop(config_id: int) -> None:
    """The board is not shown any more, or is about to be built."""
    Bucket.objects.filter(config=config_id).delete()


@contextmanager
def counted(config_id: int, participant_ids: Sequence[int]) -> Iterator[None]:
    """Standings of these participants are written inside. Does nothing without buckets."""
    if not fetch(_LOCK[connection.vendor], [config_id, FIRST]):
        yield
        return
    changes = Counter(dict.fromkeys(_sort_keys(config_id, participant_ids), -1))
    yield
    changes.update(_sort_keys(config_id, participant_ids))
    if moved := {key: by for key, by in changes.items() if by}:
        _move(config_id, moved)


def differences(config_id: int) -> list[str]:
    """What the buckets of a board have wrong, a line each."""
    stored = [(bytes(low), n) for low, n in fetch(_ALL, [config_id])]
    if not stored:
        return ["the board has no buckets"]
    lows = [low for low, _ in stored]
    found = Counter(dict.fromkeys(lows, 0))
    keys = Standing.objects.filter(config=config_id).order_by("sort_key")
    for key in keys.values_list("sort_key", flat=True).iterator():
        found[lows[bisect_right(lows, bytes(key)) - 1]] += 1
    wrong = [] if lows[0] == FIRST else ["the first bucket is missing"]
    return wrong + [
        f"the bucket from {low.hex() or 'the first key'} on: stored {n}, there are {found[low]}"
        for low, n in stored
        if n != found[low]
    ]


def _move(config_id: int, moved: Mapping[bytes, int]) -> None:
    """Sort keys that are new (1) or gone (-1)."""
    sizes = _sizes_around(config_id, moved)
    lows = sorted(sizes)
    changes: Counter[bytes] = Counter()
    for key, by in moved.items():
        changes[lows[bisect_right(lows, key) - 1]] += by
    changed = {low: sizes[low] + by for low, by in changes.items() if by}
    if not changed:
        return
    marks = ", ".join(["(%s, %s)"] * len(changed))
    values = [value for low, n in changed.items() for value in (low, n)]
    with connection.cursor() as cursor:
        cursor.execute(_SET.replace("SIZES", marks), [*values, config_id])
    for low, n in changed.items():
        if n > MOST:
            _split(config_id, low)
    if gone := [low for low, n in changed.items() if n <= 0 and low != FIRST]:
        Bucket.objects.filter(config=config_id, low__in=gone).delete()


def _sizes_around(config_id: int, keys: Mapping[bytes, int]) -> dict[bytes, int]:
    """The buckets that the keys belong to, and others if there are many keys."""
    if len(keys) <= FEW:
        rows = [row for key in keys for row in fetch(_OF, [config_id, key])]
    else:
        rows = fetch(_ALL, [config_id])
    return {bytes(low): n for low, n in rows}


def _split(config_id: int, low: bytes) -> None:
    after = Bucket.objects.filter(config=config_id, low__gt=low).order_by("low")
    end = after.values_list("low", flat=True).first()
    inside = Standing.objects.filter(config=config_id, sort_key__gte=low).order_by("sort_key")
    if end is not None:
        inside = inside.filter(sort_key__lt=end)
    keys = [bytes(key) for key in inside.values_list("sort_key", flat=True)]
    Bucket.objects.filter(config=config_id, low=low).delete()
    _insert(config_id, [low, *keys[SIZE::SIZE]], range(0, len(keys), SIZE), len(keys))


def _insert(config_id: int, lows: Sequence[bytes], places: Sequence[int], total: int) -> None:
    """Buckets from some keys on, at these places among `total` standings."""
    ends = [*places[1:], total]
    Bucket.objects.bulk_create(
        Bucket(config_id=config_id, low=low, n=end - start)
        for low, start, end in zip(lows, places, ends, strict=True)
    )


def _sort_keys(config_id: int, participant_ids: Sequence[int]) -> list[bytes]:
    among: Any = list(participant_ids)
    if connection.vendor == "sqlite":
        among = json.dumps(among)
    return [bytes(key) for (key,) in fetch(_KEYS[connection.vendor], [config_id, among])]
