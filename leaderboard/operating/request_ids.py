"""Adds the id of a request to all log lines that it causes, including later ones of workers.

The id is stored in the rows that workers claim, and not in messages, which may be lost and only
wake a worker.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from structlog.contextvars import (
    bind_contextvars,
    bound_contextvars,
    clear_contextvars,
    get_contextvars,
)

MAX_LENGTH: Final = 64
GIVEN: Final = re.compile(rf"[A-Za-z0-9._-]{{8,{MAX_LENGTH}}}", re.ASCII)
"""The form of request ids that a reverse proxy may set."""


def request_id_of(given: str) -> str:
    """The given id, or a new one of 16 hexadecimal digits if it does not have the form."""
    return given if GIVEN.fullmatch(given) else secrets.token_hex(8)


def current_request_id() -> str:
    """The id of the request that this thread handles, or that caused its scoring; else ""."""
    return str(get_contextvars().get("request_id", ""))


@contextmanager
def caused_by(request_id: str, **fields: str) -> Iterator[None]:
    """A context in which log lines have the id of the request that caused this work, and `fields`.

    They do not have the id and fields of the surrounding context, which belong to another request.
    request_id: "" if no request caused the work.
    """
    outer = get_contextvars()
    clear_contextvars()
    try:
        with bound_contextvars(**({"request_id": request_id} if request_id else {}), **fields):
            yield
    finally:
        bind_contextvars(**outer)
