"""Changes that are tried: everything is checked and done, and then rolled back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from leaderboard.api.schema import SWITCH
from leaderboard.api.views.base import switched_on
from leaderboard.services.transactions import rolled_back

DRY_RUN: Final = OpenApiParameter(
    "dry_run",
    SWITCH,
    description="`1`: say what would be there, and keep nothing.",
)


@contextmanager
def tried(request: Request) -> Iterator[bool]:
    """A context whose changes are kept, unless the request has `?dry_run=1`. Yields whether so."""
    if switched_on(request, "dry_run"):
        with rolled_back():
            yield True
    else:
        yield False
