"""Programs of challenges in the sandbox, for `services.programs`."""

from __future__ import annotations

from dataclasses import replace

from leaderboard.sandbox.contract import Limits
from leaderboard.sandbox.host.commands import COMMAND_LIMITS
from leaderboard.sandbox.host.programs import RunOfProgram, ScoredProgram, ingest, score_program

__all__ = ["RunOfProgram", "ScoredProgram", "ingest", "limits_of", "score_program"]


def limits_of(memory_mb: int) -> Limits:
    """The limits of a program that may use this much memory, in MiB."""
    return replace(COMMAND_LIMITS, memory_bytes=memory_mb << 20)
