"""Which parts of this worker's sweep fail again and again, for the row of the worker."""

from __future__ import annotations

from typing import Final, TypedDict

from django.utils import timezone

SHOWN_FROM: Final = 2
"""The failures in a row from which a part is shown: one alone may come from a passing condition."""


class FailingPart(TypedDict):
    """A part of a sweep. times: its failures in a row. since: of the first, ISO 8601. error: the
    class of the latest error, whose text only the log has, because it may contain private data.
    """

    part: str
    times: int
    since: str
    error: str


_failing: dict[str, FailingPart] = {}


def failed(part: str, error: Exception) -> None:
    """Record a failure of a part of this process's sweep."""
    before = _failing.get(part)
    _failing[part] = {
        "part": part,
        "times": before["times"] + 1 if before else 1,
        "since": before["since"] if before else timezone.now().isoformat(),
        "error": type(error).__name__,
    }


def worked(part: str) -> None:
    """Record that a part works, or works again."""
    _failing.pop(part, None)


def failing_parts() -> list[FailingPart]:
    """The parts of this process's sweep that have failed repeatedly, by name."""
    # A copy first: another thread may record a failure at the same time.
    parts = sorted(_failing.copy().items())
    return [part for _, part in parts if part["times"] >= SHOWN_FROM]
