"""Set up the program of a challenge from uploaded files: read, prepare, then save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import IO, Final, NamedTuple

from leaderboard.models import Challenge, ChallengeFile, ProgramRun, User
from leaderboard.services.errors import invalid
from leaderboard.services.files.challenge_files import add_file
from leaderboard.services.programs.environments import header_for, read_lock, server_packages
from leaderboard.services.programs.identity import program_code
from leaderboard.services.programs.reading import require_code_allowed
from leaderboard.services.scripts.preparations import PreparationProgress
from leaderboard.services.scripts.prepare import (
    ScriptRefused,
    begin_preparing,
    key_of,
    progress_of,
)

_Role = ChallengeFile.Role
ROLES: Final[Mapping[str, _Role]] = {
    "scoring": _Role.SCORING_PROGRAM,
    "truth": _Role.TRUTH,
    "ingestion": _Role.INGESTION_PROGRAM,
    "input": _Role.INPUT_DATA,
}
"""The roles of the files of a program, by the names of the parts of the field `program`."""
RUNS_SHOWN: Final = 10


def add_program_file(
    challenge: Challenge, part: str, content: IO[bytes], *, name: str, user: User | None
) -> str:
    """Store a file of a program; returns its digest. Raises ServiceError."""
    require_code_allowed()
    role = ROLES[part]
    return add_file(challenge, content, name=name, role=role, user=user).sha256


def program_files(challenge: Challenge, part: str) -> list[ChallengeFile]:
    """The stored files that a part of the program may name, the newest first."""
    return list(challenge.files.filter(role=ROLES[part]).order_by("-pk"))


def preparation_of(packages: Sequence[str]) -> PreparationProgress:
    """Begin to prepare an environment, unless it is; returns the progress. Raises ServiceError."""
    text = header_for(packages)
    try:
        progress = progress_of(key_of(text))
        if progress.refusal is not None:
            raise ScriptRefused(*progress.refusal)
        begin_preparing(text)
    except ScriptRefused as error:
        detail = error.detail.strip()
        raise invalid("packages", f"{error.message} {detail}".strip()) from None
    return progress_of(key_of(text))


class ProgramEnvironment(NamedTuple):
    """The packages that a program runs with, as `name==version`.

    lock: the file with their hashes, if they are prepared for it; None: they are this server's.
    code: identifies the files and the packages of the program.
    """

    packages: tuple[str, ...]
    lock: ChallengeFile | None
    code: str


def environment_of(challenge: Challenge) -> ProgramEnvironment | None:
    """The environment of a challenge's program, if it has one."""
    config = challenge.newest
    program = config.scoring_program
    if program is None:
        return None
    code = program_code(config)
    if program.lock is None:
        return ProgramEnvironment(server_packages(program.packages), None, code)
    file = challenge.files.get(role=_Role.ENVIRONMENT, sha256=program.lock)
    pins = read_lock(challenge, program.lock).pins
    return ProgramEnvironment(tuple(pin.partition(" ")[0] for pin in pins), file, code)


def latest_runs(challenge: Challenge) -> list[ProgramRun]:
    """The latest runs of a challenge's programs, for its organisers."""
    runs = ProgramRun.objects.filter(attempt__challenge=challenge, started_at__isnull=False)
    return list(runs.select_related("attempt__participant").order_by("-started_at")[:RUNS_SHOWN])
