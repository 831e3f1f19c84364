"""Work on several boards or challenges, of which one may be broken."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def one_by_one(work: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """The results for all items. If the work on one fails, the others are worked on before its
    error is raised."""
    results, errors = [], []
    for item in items:
        try:
            results.append(work(item))
        except Exception as error:
            errors.append(error)
    if errors:
        raise errors[0]
    return results
