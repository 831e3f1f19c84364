from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import models

from leaderboard.rules.packing import packed, unpacked


class Block(models.Model):
    """A run of rows that are stored, read and evaluated together: never all of them at once.

    Blocks are numbered from 0. `content` is a compressed JSON list of `count` rows.
    """

    number = models.PositiveIntegerField()
    count = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        abstract = True

    def rows(self) -> list[Any]:
        found: list[Any] = unpacked(self.content)
        return found

    @staticmethod
    def of(rows: Sequence[Any]) -> dict[str, Any]:
        """The fields of a block of these rows, but for its number and what it belongs to."""
        return {"count": len(rows), "content": packed(rows)}
