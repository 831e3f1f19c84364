"""The packages of a program: those of this server, or an environment that uv prepares.

An environment is prepared as that of a metric script without a text, so it has the same progress
and the same rules: only wheels of the operator's index, nothing is run.
"""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Sequence
from functools import cache
from typing import Final

from leaderboard.models import Challenge, ChallengeFile
from leaderboard.programs.reading.packages import locked, missing
from leaderboard.sandbox.scripts.headers import HeaderError, ScriptHeader, read_header
from leaderboard.schemas.programs import ScoringProgram
from leaderboard.services.files.challenge_files import add_file
from leaderboard.services.files.store import open_file
from leaderboard.services.scripts.prepare import (
    begin_preparing,
    key_of,
    locked_script,
    prepare_script,
    progress_of,
)

__all__ = ["begin_preparing", "key_of", "progress_of"]

LOCK_NAME: Final = "packages.lock"
MAX_LOCK: Final = 1 << 20

USUAL: Final = ("numpy", "pandas", "scikit-learn", "scipy")
"""The packages of this server that programs use without naming them."""


def header_for(packages: Sequence[str]) -> str:
    """The metric script that stands for an environment with these packages."""
    lines = "".join(f'#     "{package}",\n' for package in sorted(packages))
    return f"# /// script\n# dependencies = [\n{lines}# ]\n# ///\n"


def prepared_folder(challenge: Challenge, program: ScoringProgram) -> str:
    """The folder of the environment, prepared if needed; "" if this server has the packages.

    With a lock, every host prepares the same versions. Raises ScriptRefused.
    """
    if program.lock is not None:
        return str(prepare_script(_lock_text(challenge, program.lock)).folder)
    if not missing(program.packages):
        return ""
    return str(prepare_script(header_for(program.packages)).folder)


def lock_for(challenge: Challenge, packages: Sequence[str]) -> str | None:
    """Prepare an environment and store its lock; returns the digest of this file of the challenge.

    None if this server has the packages. Raises ScriptRefused and ServiceError.
    """
    if not missing(packages):
        return None
    text = io.BytesIO(locked_script(header_for(packages)).encode())
    role = ChallengeFile.Role.ENVIRONMENT
    return add_file(challenge, text, name=LOCK_NAME, role=role, user=None).sha256


def locks(challenge: Challenge, digest: str, packages: Sequence[str]) -> bool:
    """Whether a file of a challenge is a lock for these packages."""
    try:
        header = read_lock(challenge, digest)
    except (HeaderError, ChallengeFile.DoesNotExist):
        return False
    wanted = read_header(header_for(packages)).dependencies
    return bool(header.pins) and header.dependencies == wanted


def read_lock(challenge: Challenge, digest: str) -> ScriptHeader:
    """The packages of a lock. Raises HeaderError and ChallengeFile.DoesNotExist."""
    return read_header(_lock_text(challenge, digest))


def _lock_text(challenge: Challenge, digest: str) -> str:
    role = ChallengeFile.Role.ENVIRONMENT
    file = ChallengeFile.objects.get(challenge=challenge, role=role, sha256=digest)
    with open_file(file.path) as stored:
        return stored.read(MAX_LOCK).decode("utf-8", "replace")


@cache
def environment_code(packages: tuple[str, ...], lock: str | None = None) -> str:
    """Identifies the versions of the packages that a program runs with."""
    names = sorted(packages)
    if lock is not None:
        names = [lock]
    elif not missing(packages):
        names = sorted(server_packages(packages))
    python = ".".join(map(str, sys.version_info[:2]))
    return hashlib.sha256("\n".join([python, *names]).encode()).hexdigest()


def server_packages(packages: Sequence[str]) -> tuple[str, ...]:
    """The packages of this server that a program without an environment runs with.

    Those that it lacks are left out: a program of before a change of the server may name some.
    """
    packages = [package for package in packages if not missing([package])]
    usual = [name for name in USUAL if not missing([name])]
    return tuple(sorted({*locked(packages), *locked(usual)}, key=str.lower))
