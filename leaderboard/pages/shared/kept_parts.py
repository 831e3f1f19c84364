"""Parts of pages that a process keeps: as many as fit in a number of bytes, for a minute each."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Final, Generic, NamedTuple, TypeVar

KEPT_SECONDS: Final = 60
"""How old a part may be: it says how long ago things happened."""
MOST_PARTS: Final = 512

Part = TypeVar("Part")


class _Kept(NamedTuple):
    part: object
    size: int
    until: float


class KeptParts(Generic[Part]):
    """The parts that were used last. most_bytes: of all of them together."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.size = 0
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> Part | None:
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept.until < time.monotonic():
                return None
            self._kept.move_to_end(key)
            return kept.part  # type: ignore[return-value]

    def keep(self, key: Hashable, part: Part, size: int) -> None:
        """Keep a part of `size` bytes, unless it is a large share of all that may be kept."""
        if size > self.most_bytes // 4:
            return
        with self._lock:
            self._remove(key)
            self._kept[key] = _Kept(part, size, time.monotonic() + KEPT_SECONDS)
            self.size += size
            while self.size > self.most_bytes or len(self._kept) > MOST_PARTS:
                self._remove(next(iter(self._kept)))

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self.size = 0

    def __len__(self) -> int:
        return len(self._kept)

    def _remove(self, key: Hashable) -> None:
        if kept := self._kept.pop(key, None):
            self.size -= kept.size
