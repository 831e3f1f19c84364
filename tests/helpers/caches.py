"""The cache of the tests: in memory, and restricted to what Redis would store."""

from __future__ import annotations

from typing import Any

from leaderboard.cache.counters import CountingLocMemCache
from leaderboard.cache.values import Serializer

_serializer = Serializer()


class CheckedCache(CountingLocMemCache):
    """A cache that refuses values that the shared cache would not store or would return changed."""

    def set(self, key: Any, value: Any, *args: Any, **options: Any) -> None:
        kept = _serializer.dumps(value)
        back = _serializer.loads(kept if isinstance(kept, bytes) else str(kept).encode())
        assert isinstance(value, type(back))
        assert back == value
        super().set(key, value, *args, **options)
