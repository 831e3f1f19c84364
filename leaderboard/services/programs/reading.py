"""What an uploaded program is: its kind, its settings, and the packages that it needs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Final, NamedTuple

from django.conf import settings
from django.utils.translation import gettext as _

from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.unpacking import root_of, unpack
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, ChallengeFile
from leaderboard.programs import Contract, ProgramRefused, contract_of, recognised
from leaderboard.programs.reading.contract import ProgramSetting
from leaderboard.programs.reading.gpus import asks_for_gpu
from leaderboard.programs.reading.notebooks import write_notebooks
from leaderboard.programs.reading.packages import (
    completed,
    missing,
    packages_of,
    proposed,
    uses_old_numpy,
    without_submitted,
)
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.programs import ScoringProgram
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.files.store import open_file
from leaderboard.services.programs.environments import lock_for, locks, prepared_folder
from leaderboard.services.programs.folders import MAX_UNPACKED, tree_of, unpacked
from leaderboard.services.scripts.prepare import ScriptRefused

WITHOUT_TRUTH: Final = "codabench"
"""The only contract whose programs may need no truth."""


class ProgramReading(NamedTuple):
    """A program as it was read.

    packages: the requirements to prepare; () if the server has them. warnings: what may go wrong
    here.
    """

    contract: Contract
    settings: tuple[ProgramSetting, ...]
    packages: tuple[str, ...]
    warnings: tuple[str, ...] = ()


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
        return _read(unpacked(file), kind)
    except (ProgramRefused, ImportFailed) as error:
        raise invalid("scoring", error.args[0]) from None


def read_content(name: str, content: IO[bytes], kind: str) -> ProgramReading:
    """Read a program that is not stored. Raises ServiceError with the field `scoring`."""
    try:
        with TemporaryDirectory() as folder:
            unpack(tree_of(name, content), Path(folder), most_bytes=MAX_UNPACKED)
            write_notebooks(Path(folder))
            return _read(root_of(Path(folder)), kind)
    except (ProgramRefused, ImportFailed) as error:
        raise invalid("scoring", error.args[0]) from None


def packages_of_code(files: Sequence[tuple[str, IO[bytes]]]) -> tuple[str, ...]:
    """The packages that an ingestion program and submissions need together, as far as they say.

    Modules that one of them has for the other are none. Raises ServiceError for files that cannot
    be read.
    """
    try:
        with TemporaryDirectory() as folder:
            for number, (name, content) in enumerate(files):
                inside = Path(folder, str(number))
                inside.mkdir()
                unpack(tree_of(name, content), inside, most_bytes=MAX_UNPACKED)
            return without_submitted(packages_of(Path(folder)))
    except (ProgramRefused, ImportFailed) as error:
        raise invalid("file", error.args[0]) from None


def packages_with(reading: ProgramReading, ingestion: ChallengeFile | None) -> tuple[str, ...]:
    """The packages of a program and of its ingestion program, which run with the same ones.

    Raises ServiceError.
    """
    if ingestion is None:
        return reading.packages
    with open_file(ingestion.path) as content:
        further = packages_of_code([(ingestion.name, content)])
    return completed(reading.packages, further) if missing(further) else reading.packages


def _read(folder: Path, kind: str) -> ProgramReading:
    """Raises ProgramRefused."""
    contract = contract_of(kind) if kind else recognised(folder)
    contract.check(folder)
    wanted = packages_of(folder)
    packages: tuple[str, ...] = ()
    if uses_old_numpy(folder) or missing(completed(wanted, contract.driver_packages)):
        packages = completed(proposed(folder), contract.driver_packages)
    warnings = tuple(asks_for_gpu(folder))
    return ProgramReading(contract, contract.settings(folder), packages, warnings)


def checked_program(
    challenge: Challenge, program: ScoringProgram, before: ScoringProgram | None = None
) -> ScoringProgram:
    """A program checked against the files of its challenge, with the lock of its packages.

    before: the program until now, whose lock stays as long as its packages do. Raises ServiceError.
    """
    role = ChallengeFile.Role.SCORING_PROGRAM
    for digest in program.scoring_programs:
        reading = read_program(file_of(challenge, role, digest), program.kind)
        _check_settings(program, reading.settings)
    if program.truth is not None:
        file_of(challenge, ChallengeFile.Role.TRUTH, program.truth)
    elif program.kind != WITHOUT_TRUTH:
        raise invalid("program.truth", _("must name the file that submissions are compared with"))
    for digest in program.ingestion_programs:
        file_of(challenge, ChallengeFile.Role.INGESTION_PROGRAM, digest)
    if program.memory_mb > settings.PROGRAM_MEMORY_MIB:
        text = _("must be at most {most}, the limit of this server")
        raise invalid("program.memory_mb", text.format(most=settings.PROGRAM_MEMORY_MIB))
    if program.kind == "kaggle" and not program.id_column:
        raise invalid("program.id_column", _("must name the column with the ids of the rows"))
    program = program.model_copy(
        update={"packages": with_driver(reading.contract, program.packages)}
    )
    return program.model_copy(update={"lock": _lock(challenge, program, before)})


def with_driver(contract: Contract, packages: Sequence[str]) -> tuple[str, ...]:
    """Packages to prepare, with those that calling the program needs."""
    return completed(packages, contract.driver_packages) if missing(packages) else tuple(packages)


def _lock(
    challenge: Challenge, program: ScoringProgram, before: ScoringProgram | None
) -> str | None:
    """The lock that a program names, or has had, or a new one. Raises ServiceError."""
    lock = program.lock
    if lock is not None and not locks(challenge, lock, program.packages):
        raise invalid(
            "program.lock",
            _("must lock the packages that the program names; leave it out to lock them anew"),
        )
    if lock is None and before is not None and before.packages == program.packages:
        lock = before.lock
    try:
        if lock is None:
            return lock_for(challenge, program.packages)
        prepared_folder(challenge, program.model_copy(update={"lock": lock}))
    except ScriptRefused as error:
        detail = error.detail.strip()
        raise invalid("program.packages", f"{translated(error.message)} {detail}".strip()) from None
    return lock


def _check_settings(program: ScoringProgram, declared: Sequence[ProgramSetting]) -> None:
    """Check the parameters of a program against those that it declares. Raises ServiceError."""
    by_name = {setting.name: setting for setting in declared}
    wrong: dict[str, list[str]] = {}
    for name, setting in by_name.items():
        if setting.is_required and name not in program.settings:
            text = _("must have a value, because the program has no default for it")
            wrong[f"program.settings.{name}"] = [text]
    for name, value in program.settings.items():
        if name not in by_name:
            text = _("must be one of {accepted}; got {got}")
            text = text.format(accepted=", ".join(sorted(by_name)) or _("none"), got=name)
            wrong["program.settings"] = [text]
        elif not by_name[name].accepts(value):
            text = _("must be of the type {kind}; got {got}")
            text = text.format(kind=by_name[name].kind, got=sent(value))
            wrong[f"program.settings.{name}"] = [text]
    if wrong:
        lines = (f"{field}: {texts[0]}" for field, texts in wrong.items())
        raise ServiceError("invalid", "; ".join(lines), wrong)


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
