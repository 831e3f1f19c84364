"""What identifies a program: its contract, its files and settings, and its packages."""

from __future__ import annotations

import hashlib

from leaderboard.models import ChallengeFile, ScoringConfig
from leaderboard.rules.json.canonical import canonical
from leaderboard.schemas.programs import ScoringProgram
from leaderboard.services.programs.environments import environment_code

NOT_OF_SCORES = ("values", "seconds", "memory_mb")
"""The parts of a program that change no number."""
FILES = ("scoring", "truth", "ingestion", "input", "phases")
"""The parts that name files."""


def program_code(config: ScoringConfig) -> str:
    """The code of a config's program; "" without one."""
    program = config.scoring_program
    if program is None:
        return ""
    parts = program.model_dump(mode="json", exclude={*NOT_OF_SCORES, *FILES, "lock"})
    text = canonical(
        {
            **parts,
            "files": _files(config, program),
            "environment": environment_code(program.packages, program.lock),
        }
    )
    return hashlib.sha256(text).hexdigest()


def _files(config: ScoringConfig, program: ScoringProgram) -> list[list[str]]:
    """The files by the part that names each.

    A code is public, and a short truth could be guessed from a digest. So files are identified by
    their random paths.
    """
    paths = dict(
        ChallengeFile.objects.filter(challenge=config.challenge_id).values_list("sha256", "path")
    )
    named = {
        **{name: getattr(program, name) for name in FILES[:-1]},
        **{
            f"{slug}.{name}": getattr(files, name)
            for slug, files in program.phases.items()
            for name in FILES[:-1]
        },
    }
    return [[name, paths.get(digest, digest)] for name, digest in sorted(named.items()) if digest]
