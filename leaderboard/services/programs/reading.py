"""What an uploaded program is: its kind, its settings, and the packages that it needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from django.conf import settings
from django.utils.translation import gettext as _

from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, ChallengeFile
from leaderboard.programs import Contract, ProgramRefused, contract_of, recognised
from leaderboard.programs.reading.contract import ProgramSetting
from leaderboard.programs.reading.packages import (
    completed,
    missing,
    packages_of,
    proposed,
    uses_old_numpy,
)
from leaderboard.schemas.programs import ScoringProgram
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.programs.environments import prepared_folder
from leaderboard.services.programs.folders import unpacked
from leaderboard.services.scripts.prepare import ScriptRefused

WITHOUT_TRUTH: Final = "codabench"
"""The only contract whose programs may need no truth."""


class ProgramReading(NamedTuple):
    """A program as it was read.

    packages: the requirements to prepare; () if the server has them. needs_old_numpy: whether they
    are those of an old environment.
    """

    contract: Contract
    settings: tuple[ProgramSetting, ...]
    packages: tuple[str, ...]
    needs_old_numpy: bool


def require_code_allowed() -> None:
    """Raise ServiceError (`permission_denied`) if the operator allows no programs."""
    if not settings.CHALLENGE_CODE:
        text = _("Programs are turned off on this server. Its operator turns them on.")
        raise ServiceError("permission_denied", text)


def read_program(file: ChallengeFile, kind: str = "") -> ProgramReading:
    """Read an uploaded scoring program. kind: its contract; "" to recognise it.

    Raises ServiceError with the field `scoring`.
    """
    require_code_allowed()
    try:
        folder = unpacked(file)
        contract = contract_of(kind) if kind else recognised(folder)
        contract.check(folder)
        wanted = packages_of(folder)
        old = uses_old_numpy(folder)
        packages: tuple[str, ...] = ()
        if old or missing(completed(wanted, contract.driver_packages)):
            packages = completed(proposed(folder), contract.driver_packages)
        return ProgramReading(contract, contract.settings(folder), packages, old)
    except (ProgramRefused, ImportFailed) as error:
        raise invalid("scoring", error.args[0]) from None


def check_program(challenge: Challenge, program: ScoringProgram) -> None:
    """Check a program against the files of its challenge. Raises ServiceError."""
    reading = read_program(
        file_of(challenge, ChallengeFile.Role.SCORING_PROGRAM, program.scoring), program.kind
    )
    if program.truth is not None:
        file_of(challenge, ChallengeFile.Role.TRUTH, program.truth)
    elif program.kind != WITHOUT_TRUTH:
        raise invalid("program.truth", _("must name the file that submissions are compared with"))
    if program.ingestion is not None:
        file_of(challenge, ChallengeFile.Role.INGESTION_PROGRAM, program.ingestion)
    _check_settings(program, reading.settings)
    if program.memory_mb > settings.PROGRAM_MEMORY_MIB:
        text = _("must be at most {most}, the limit of this server")
        raise invalid("program.memory_mb", text.format(most=settings.PROGRAM_MEMORY_MIB))
    try:
        prepared_folder(program.packages)
    except ScriptRefused as error:
        detail = error.detail.strip()
        raise invalid("program.packages", f"{translated(error.message)} {detail}".strip()) from None
    if program.kind == "kaggle" and not program.id_column:
        raise invalid("program.id_column", _("must name the column with the ids of the rows"))


def _check_settings(program: ScoringProgram, declared: Sequence[ProgramSetting]) -> None:
    """Check the parameters of a program against those that it declares. Raises ServiceError."""
    names = {setting.name for setting in declared}
    for setting in declared:
        if setting.is_required and setting.name not in program.settings:
            text = _("must have {name}, for which the program has no default")
            raise invalid("program.settings", text.format(name=setting.name))
    for name in program.settings:
        if name not in names:
            text = _("must be one of {accepted}; got {got}")
            raise invalid(
                "program.settings", text.format(accepted=", ".join(sorted(names)), got=name)
            )


def file_of(challenge: Challenge, role: ChallengeFile.Role, digest: str) -> ChallengeFile:
    """A file of a challenge by its digest. Raises ServiceError."""
    file = ChallengeFile.objects.filter(challenge=challenge, role=role, sha256=digest).first()
    if file is None:
        text = _("must be a file of this challenge with the role {role}; got {digest}")
        raise invalid(f"program.{_FIELDS[role]}", text.format(role=role.value, digest=digest))
    return file


_FIELDS = {
    ChallengeFile.Role.SCORING_PROGRAM: "scoring",
    ChallengeFile.Role.TRUTH: "truth",
    ChallengeFile.Role.INGESTION_PROGRAM: "ingestion",
    ChallengeFile.Role.INPUT_DATA: "input",
}
