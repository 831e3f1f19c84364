"""Work in several threads, as in several processes of a server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

Result = TypeVar("Result")


def at_once(works: Sequence[Callable[[], Result]]) -> list[Result]:
    """The results of functions that all run at the same time, with a connection each.

    Raises the first of their exceptions.
    """

    def closed(work: Callable[[], Result]) -> Result:
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(closed, works))
