"""Run programs of other platforms: participants' code, then the scoring of what it wrote."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Final, NamedTuple, Protocol

from leaderboard.programs.codabench import CONTRACT as CODABENCH
from leaderboard.programs.reading.contract import (
    DRIVER,
    DRIVERS,
    INGESTED,
    INPUT,
    INPUT_DATA,
    PROGRAM,
    Call,
    Contract,
    ProgramAnswer,
    ScoringTask,
)
from leaderboard.rules.noop import noop
from leaderboard.sandbox.contract import Command, CommandResult, Limits
from leaderboard.sandbox.host.commands import COMMAND_LIMITS, TellOutput

DEFAULT_SECONDS: Final = 600
MAX_SECONDS: Final = 1800


class RunsCommands(Protocol):
    """A sandbox, as far as programs need one."""

    def run_command(
        self,
        command: Command,
        results: Path,
        *,
        seconds: float,
        limits: Limits,
        tell: TellOutput,
    ) -> CommandResult: ...


@dataclass(frozen=True)
class RunOfProgram:
    """What all runs have: the sandbox, an environment, limits, and who is told what is printed.

    prepared: as in `Command`.
    """

    sandbox: RunsCommands
    prepared: str = ""
    seconds: float = DEFAULT_SECONDS
    limits: Limits = COMMAND_LIMITS
    tell: TellOutput = noop

    def call(self, call: Call, places: dict[str, Path], results: Path) -> CommandResult:
        """Run a call. places: folders by the path at which the program sees them."""
        command = Command(
            call.arguments,
            call.folder,
            {place: str(path) for place, path in places.items()},
            prepared=self.prepared,
            has_fixed_paths=call.has_fixed_paths,
        )
        return self.sandbox.run_command(
            command, results, seconds=self.seconds, limits=self.limits, tell=self.tell
        )


class ScoredProgram(NamedTuple):
    """How a scoring program ended, and what it answered."""

    run: CommandResult
    answer: ProgramAnswer


def score_program(
    run: RunOfProgram,
    contract: Contract,
    program: Path,
    given: Path,
    task: ScoringTask,
    results: Path,
) -> ScoredProgram:
    """Score a submission. given: a folder with `ref` and `res`. results: an empty folder.

    Raises ProgramRefused and SandboxError; other failures are answers.
    """
    places = {PROGRAM: program, INPUT: given, DRIVER: DRIVERS}
    ended = run.call(contract.call(program, task), places, results)
    if ended.failure is None:
        return ScoredProgram(ended, contract.answer(results, task))
    failure = ended.failure
    return ScoredProgram(ended, ProgramAnswer(code=failure.code, message=failure.message))


def ingest(
    run: RunOfProgram, program: Path, input_data: Path, submission: Path, results: Path
) -> CommandResult:
    """Run a participant's code by an ingestion program, which sees no truth.

    results: an empty folder, which gets what it writes, and a file `metadata` as the platform adds
    it. Raises ProgramRefused and SandboxError.
    """
    places = {PROGRAM: program, INPUT_DATA: input_data, INGESTED: submission}
    ended = run.call(CODABENCH.ingestion(program), places, results)
    status = 1 if ended.status is None else ended.status
    lines = {
        "exitCode": status,
        "elapsedTime": round(ended.seconds, 3),
        "ingestionExitCode": status,
        "ingestionElapsedTime": round(ended.seconds, 3),
    }
    text = "".join(f"{name}: {json.dumps(value)}\n" for name, value in lines.items())
    path = results / "metadata"
    if path.is_dir():  # the code has made a folder of this name
        rmtree(path)
    path.write_text(text)
    return ended
