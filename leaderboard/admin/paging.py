"""Paging of lists that may have millions of rows."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.core.paginator import Paginator

COUNTED = 10_000
"""The most rows that are counted and paged; filters and search reach the others."""


class CappedPaginator(Paginator):  # type: ignore[type-arg]
    """Counts to 10 000 and no further."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by().values("pk")[:COUNTED].count())

    @property
    def capped(self) -> bool:
        return self.count >= COUNTED
