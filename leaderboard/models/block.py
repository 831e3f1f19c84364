from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Any

from django.db import models

FASTEST = 1
"""zlib's level: larger ones take three times as long to make a text a tenth smaller."""


def packed(value: Any) -> bytes:
    """A JSON value as it is stored where nothing of the database's looks into it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode(), FASTEST)


def unpacked(content: bytes | memoryview) -> Any:
    return json.loads(zlib.decompress(content))


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
