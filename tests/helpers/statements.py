"""The statements that run in a block, also those of cursors that tell Django no text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection


@contextmanager
def statements() -> Iterator[list[str]]:
    """Yield a list that gets the text of each statement, with `%s` for its parameters."""
    texts: list[str] = []

    def keep(execute: Callable[..., Any], sql: Any, *given: Any) -> Any:
        texts.append(str(sql))
        return execute(sql, *given)

    with connection.execute_wrapper(keep):
        yield texts
