"""Helpers that ask text metrics: short rows, and a sandbox like a worker's. They need no pytest."""

from collections.abc import Sequence
from typing import Any

from leaderboard.sandbox import Evaluated, Failure, Sandbox
from leaderboard.sandbox.contract import InstanceTuple

LONG_MS = 60_000


def row(
    key: str | int, *outputs: str, refs: Sequence[str] = ("ref",), asked: str = ""
) -> InstanceTuple:
    return (key, asked, outputs, refs)


def ask(
    sandbox: Sandbox,
    name: str,
    rows: Sequence[InstanceTuple] = (row("1", "out"),),
    timeout_ms: int = LONG_MS,
    **parameters: Any,
) -> Evaluated | Failure:
    """Return the answer of a text metric of `hostile.text` for one block."""
    with sandbox.evaluating(f"hostile.text.{name}", parameters) as line:
        return line.evaluate(rows, timeout_ms=timeout_ms)


def evaluated(answer: Evaluated | Failure) -> Evaluated:
    assert isinstance(answer, Evaluated), answer
    return answer


def failure(answer: object) -> Failure:
    assert isinstance(answer, Failure), answer
    return answer
