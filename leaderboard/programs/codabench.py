"""Codabench's and CodaLab's programs: a command in `metadata.yaml`, folders, `scores.json`."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Final

from leaderboard.programs.reading.answers import numbers_in, scores_of, unusable, yaml_of
from leaderboard.programs.reading.contract import (
    INGESTED,
    INPUT,
    INPUT_DATA,
    OUTPUT,
    PROGRAM,
    SHARED,
    SUBMISSION,
    TRUTH,
    Call,
    Contract,
    ProgramAnswer,
    ProgramRefused,
    ScoringTask,
)
from leaderboard.programs.reading.sources import is_within_app, sources, text_of, tree_of
from leaderboard.rules.texts.messages import message

METADATA: Final = ("metadata.yaml", "metadata.yml", "metadata")
_VARIABLES: Final = {
    "$submission_program": INGESTED,
    "$ingestion_program": PROGRAM,
    "$predictions": SUBMISSION,
    "$program": PROGRAM,
    "$output": OUTPUT,
    "$shared": SHARED,
    "$hidden": TRUTH,
    "$input": INPUT,
    "$tmp": OUTPUT,
}
"""The variables of a command, longest first, because some begin with others."""
_SHELL: Final = ("|", "&&", "||", ";", ">", "<", "`", "$(")


class Codabench(Contract):
    """A scoring or an ingestion program of Codabench or CodaLab."""

    name = "codabench"
    needs = message("a file metadata.yaml or metadata with a command (Codabench, CodaLab)")
    rank = 0

    def recognises(self, program: Path) -> bool:
        return metadata_of(program) is not None

    def check(self, program: Path) -> None:
        command_of(program)
        for path in sources(program):
            tree_of(path)

    def call(self, program: Path, task: ScoringTask) -> Call:
        return call_of(program, INPUT)

    def ingestion(self, program: Path) -> Call:
        """How an ingestion program is called, which runs what participants submit."""
        return call_of(program, INPUT_DATA)

    def answer(self, results: Path, task: ScoringTask) -> ProgramAnswer:
        scores, name = scores_of(results)
        if not name:
            return unusable("The program wrote neither scores.json nor scores.txt.")
        notes: list[str] = []
        values = numbers_in(scores, notes)
        if not values:
            return unusable(f"The file {name} has no finite number.")._replace(notes=tuple(notes))
        return ProgramAnswer(values, notes=tuple(notes), page=_page_of(results))


def metadata_of(program: Path) -> Path | None:
    """The file with the command of a program, if it has one."""
    return next((program / name for name in METADATA if (program / name).is_file()), None)


def command_of(program: Path) -> list[str]:
    """The words of a program's command after the interpreter. Raises ProgramRefused."""
    path = metadata_of(program)
    if path is None:
        raise ProgramRefused(message("must have a file metadata.yaml or metadata; got none"))
    text = text_of(path)
    metadata = yaml_of(text)
    command = metadata.get("command") if isinstance(metadata, dict) else _line_of(text)
    if not isinstance(command, str) or not command.strip():
        raise ProgramRefused(
            message("{file}: must have a line 'command: python …'; got none", file=path.name)
        )
    if any(mark in command for mark in _SHELL):
        raise ProgramRefused(
            message(
                "{file}: must run one Python program; got a command for a shell, {got}. "
                "Let one Python file do all of it",
                file=path.name,
                got=command[:80],
            )
        )
    try:
        first, *words = shlex.split(command)
    except ValueError as error:
        raise ProgramRefused(
            message("{file}: must have a proper command; got {error}", file=path.name, error=error)
        ) from None
    name = first.rpartition("/")[2]
    if name == "python2" or name.startswith("python2."):
        raise ProgramRefused(
            message(
                "{file}: must run Python 3; got {got}. Write python3 if the program runs with it",
                file=path.name,
                got=name,
            )
        )
    if not name.startswith("python") or not words:
        raise ProgramRefused(
            message(
                "{file}: must run a Python program, as in 'python3 score.py'; got {got}. "
                "Other languages, shells and Docker images cannot run here",
                file=path.name,
                got=name,
            )
        )
    return words


def _line_of(text: str) -> str | None:
    """The command of metadata that are no YAML, as with a second colon in the description."""
    line = re.search(r"^command:[ \t]*(.+)$", text, re.MULTILINE)
    return line[1].strip().strip("'\"") if line else None


def call_of(program: Path, given: str) -> Call:
    """The command of a program, with folders in place of its variables. given: its input."""
    predictions = SUBMISSION if given == INPUT else OUTPUT
    variables = {**_VARIABLES, "$predictions": predictions, "$input": given}
    words = []
    for word in command_of(program):
        for name, path in variables.items():
            word = word.replace(name, path)
        words.append(word)
    has_fixed = is_within_app(program) or any("/app/" in word for word in command_of(program))
    # A path in the command moves with its folder; a path in a source does not.
    return Call(tuple(words), PROGRAM, has_fixed_paths=has_fixed and is_within_app(program))


def _page_of(results: Path) -> str:
    pages = sorted(path.name for path in results.glob("*.html") if path.is_file())
    return "detailed_results.html" if "detailed_results.html" in pages else next(iter(pages), "")


CONTRACT = Codabench()
