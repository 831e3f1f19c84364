"""What identifies a program: its contract, its files and settings, and its packages."""

from __future__ import annotations

import hashlib

from leaderboard.models import ScoringConfig
from leaderboard.rules.json.canonical import canonical
from leaderboard.services.programs.environments import environment_code

NOT_OF_SCORES = ("values", "seconds", "memory_mb")
"""The parts of a program that change no number."""


def program_code(config: ScoringConfig) -> str:
    """The code of a config's program; "" without one."""
    program = config.scoring_program
    if program is None:
        return ""
    parts = program.model_dump(mode="json", exclude=set(NOT_OF_SCORES))
    text = canonical({**parts, "environment": environment_code(program.packages)})
    return hashlib.sha256(text).hexdigest()
