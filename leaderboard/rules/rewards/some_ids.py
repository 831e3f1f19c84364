"""Long lists of ids as short texts."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final, NamedTuple

from leaderboard.rules.rewards.documents import shown_id
from leaderboard.rules.texts.messages import message

MAX_NAMED: Final = 10


class SomeIds(NamedTuple):
    """The first of some ids, in their order, and how many more there are."""

    ids: list[str]
    more: int

    @classmethod
    def of(cls, ids: Iterable[str | int]) -> SomeIds:
        rest = iter(ids)
        first = [str(sample_id) for sample_id in islice(rest, MAX_NAMED)]
        return cls(first, sum(1 for _ in rest))

    @property
    def total(self) -> int:
        return len(self.ids) + self.more

    @property
    def text(self) -> str:
        """`4, 7, 9 and 12 more`; long ids are cut."""
        first = ", ".join(map(shown_id, self.ids))
        if not self.more:
            return first
        return message("{first} and {more} more", first=first, more=self.more)

    def __str__(self) -> str:
        return str(self.text)
