"""Helpers that score one request and count the processes of a sandbox. They need no pytest."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from leaderboard.sandbox import Failure, Outcome, Request, Sandbox

RATING = 8


def score(
    sandbox: Sandbox,
    entrypoint: str,
    config: dict[str, Any] | None = None,
    timeout_ms: int = 60_000,
) -> Outcome:
    request = Request({"rating": RATING}, {"timeout_ms": timeout_ms})
    (outcome,) = sandbox.score(entrypoint, config, [request], timeout_ms=timeout_ms, fresh=True)
    return outcome


def failure_of(
    sandbox: Sandbox,
    entrypoint: str,
    config: dict[str, Any] | None = None,
    timeout_ms: int = 60_000,
) -> Failure:
    outcome = score(sandbox, entrypoint, config, timeout_ms)
    assert outcome.error is not None, outcome
    return outcome.error


def verdict(outcome: Outcome, expected: float | tuple[str, ...]) -> str:
    """Describe how an outcome differs from the expected one; "" if it does not."""
    actual = outcome.value if outcome.error is None else outcome.error.code
    fits = actual in expected if isinstance(expected, tuple) else actual == expected
    return "" if fits else f"{actual!r} instead of {expected!r}: {outcome}"


def processes(sandbox: Sandbox) -> set[int]:
    """Return all living descendants of this process's zygote. Linux only."""
    assert sandbox._zygotes.current is not None
    parents = dict(_parents())
    family = {sandbox._zygotes.current.pid}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return family - {sandbox._zygotes.current.pid}


def last_forked(sandbox: Sandbox) -> set[int]:
    """Return those of the processes that have started no other."""
    parents = dict(_parents())
    return processes(sandbox) - {*parents.values()}


def _parents() -> Iterator[tuple[int, int]]:
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(FileNotFoundError, ProcessLookupError):
            state, parent = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                yield int(name), int(parent)
