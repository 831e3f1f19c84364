"""The cache of the tests: in memory, with what Redis would keep."""

from __future__ import annotations

from typing import Any

from leaderboard.cache_values import Serializer
from leaderboard.counters import CountingLocMemCache

_serializer = Serializer()


class CheckedCache(CountingLocMemCache):
    """Refuses what the shared cache would not keep, or not give back as it was."""

    def set(self, key: Any, value: Any, *args: Any, **options: Any) -> None:
        kept = _serializer.dumps(value)
        back = _serializer.loads(kept if isinstance(kept, bytes) else str(kept).encode())
        assert isinstance(value, type(back))
        assert back == value
        super().set(key, value, *args, **options)
