"""The split of the tasks of a challenge, or of its instances, into a public and a private part.

Until a phase ends, only the public part counts, and nothing is computed on the private one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import StrEnum
from hashlib import sha256
from typing import Final, NamedTuple

from leaderboard.rules.json.stored import StoredSplit

HASHES: Final = 1 << 63
"""The number of different hashes, so that one fits into a column of 64 bits."""


class TaskPart(StrEnum):
    """The tasks that count: before the end of a phase the public ones, then what the phase says."""

    PRIVATE = "private"
    ALL = "all"
    PUBLIC = "public"


class Split(NamedTuple):
    """Which tasks are public: those that are listed, or those whose hash is below a number.

    names: the listed ones, or None. seed: it goes into the hash with the name of the task.
    """

    names: frozenset[str] | None
    seed: str
    below: int

    def is_public(self, name: str) -> bool:
        if self.names is not None:
            return name in self.names
        return hash_of(self.seed, name) < self.below

    def takes(self, part: TaskPart) -> Callable[[str], bool]:
        """Whether a task belongs to a part, as a function of its name."""
        if part is TaskPart.ALL:
            return lambda name: True
        return self.is_public if part is TaskPart.PUBLIC else self._is_private

    def _is_private(self, name: str) -> bool:
        return not self.is_public(name)


def split_of(stored: StoredSplit | None, below: int | None) -> Split | None:
    """The split that a scoring config stores: `{"public": […]}`, `{"share", "seed"}`, `{"column"}`.

    below: the hash of the first private task in the order of hashes, for a share.
    """
    if stored is None:
        return None
    if "column" in stored:  # the truth says which of its rows are public
        return Split(frozenset(), "", 0)
    if (names := stored.get("public")) is not None:
        return Split(frozenset(names), "", 0)
    seed, share = stored.get("seed", ""), stored["share"]
    return Split(None, seed, below_for(share, seed, ()) if below is None else below)


def hash_of(seed: str, name: str) -> int:
    """A number from 0 to HASHES - 1: the first 63 bits of the SHA-256 of seed, NUL and name."""
    digest = sha256(f"{seed}\0{name}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def below_for(share: float, seed: str, names: Collection[str]) -> int:
    """The hash below which a task is public, for a share of the named tasks.

    The number of public tasks is the nearest possible one, but each part has at least one task.
    Without names, a task is public with this probability.
    """
    if len(names) < 2:
        return int(share * HASHES)
    hashes = sorted(hash_of(seed, name) for name in names)
    return hashes[min(max(round(share * len(hashes)), 1), len(hashes) - 1)]
