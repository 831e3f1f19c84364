"""Try metrics and prepared metric scripts on rewards, with what they print and the failing task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from leaderboard.sandbox.host.trying_rewards import (
    TaskSamples,
    Tried,
    read_rewards,
    try_metric,
    try_script,
)
from leaderboard.services.plugins import sandboxes

__all__ = ["TaskSamples", "Tried", "read_rewards", "tried_metric", "tried_script"]

ALONE_SECONDS = 4.0
"""How long tasks are tried alone, which a web process waits for."""


def tried_metric(
    entrypoint: str, tasks: Sequence[TaskSamples], *, k: int | None, timeout_ms: int
) -> Tried:
    """Run a plugin's metric. Raises SandboxError."""
    sandbox = sandboxes.sandbox("measuring")
    return try_metric(sandbox, entrypoint, tasks, timeout_ms, k, alone_seconds=ALONE_SECONDS)


def tried_script(folder: Path, tasks: Sequence[TaskSamples], *, timeout_ms: int) -> Tried:
    """Run a prepared metric script. Raises SandboxError."""
    sandbox = sandboxes.sandbox("scripts")
    return try_script(sandbox, str(folder), tasks, timeout_ms, alone_seconds=ALONE_SECONDS)
