from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from django.db import models

from leaderboard.rules.json.packing import packed, unpacked


class BlockFields(TypedDict):
    """The values of the fields `count` and `content`."""

    count: int
    content: bytes


class Block(models.Model):
    """Consecutive rows that are stored, read and evaluated together, to limit memory.

    Blocks are numbered from 0. `content` is a compressed JSON list of `count` rows.
    """

    number = models.PositiveIntegerField()
    count = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        abstract = True

    def rows(self) -> list[Any]:
        rows: list[Any] = unpacked(self.content)
        return rows

    @staticmethod
    def of(rows: Sequence[Any]) -> BlockFields:
        """The values of the fields `count` and `content` for a block of these rows."""
        return {"count": len(rows), "content": packed(rows)}
