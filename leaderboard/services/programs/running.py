"""Run the program of a challenge on the file of an attempt, and keep what became of it.

A run is stored before it begins, so that a worker that is lost in the middle is noticed: the run is
repeated once, and a second loss ends the attempt. Finished runs are used again: by a new config
with the same program, and after an interruption.
"""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from django.db.models.functions import Now

from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.models import Attempt, ChallengeFile, ProgramRun, ScoringConfig, SubmittedFile
from leaderboard.programs import ProgramRefused, contract_of
from leaderboard.programs.reading.contract import ScoringTask
from leaderboard.programs.reading.dangers import dangers
from leaderboard.rules.rewards.reductions import MetricValue
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.plugin_output import clean_output, clean_text
from leaderboard.sandbox import CommandResult, Failure
from leaderboard.schemas.programs import ScoringProgram
from leaderboard.services.errors import ServiceError
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore
from leaderboard.services.evaluation.time_slices import TimeSlice
from leaderboard.services.files.store import store_file
from leaderboard.services.plugins.programs import RunOfProgram, ingest, limits_of, score_program
from leaderboard.services.plugins.sandboxes import programs_sandbox
from leaderboard.services.programs.environments import prepared_folder
from leaderboard.services.programs.folders import (
    copy_file,
    copy_into,
    run_folder,
    unpack_into,
    unpacked,
    unpacked_data,
)
from leaderboard.services.programs.identity import program_code
from leaderboard.services.programs.reading import file_of
from leaderboard.services.scripts.prepare import ScriptRefused
from leaderboard.services.transactions import retried

MOST_TRIES = 2
"""How many workers may be lost or interrupted in the middle of one run, before it is given up."""
SECONDS_PER_OUTPUT = 3.0
MAX_OUTPUT = 64 << 10
MAX_MESSAGE = 500

_NO_FILE = Failure("invalid_result", "The attempt has no file that the program could read.")
_LOST = Failure("worker_lost", "The worker was lost twice while the program ran.")
_FAILED = "The scoring program failed on this file."
_AWAY = "The program of this challenge cannot be run on this server."


class _Ended(NamedTuple):
    """A result of one step, as fields of `ProgramRun`."""

    failure: Failure | None
    values: dict[str, float | None] | None = None
    output: str = ""
    notes: tuple[str, ...] = ()
    seconds: float | None = None
    peak_bytes: int | None = None
    path: str = ""


_Work = Callable[[ProgramRun, Path], _Ended]


def with_program_values(
    config: ScoringConfig, attempt: AttemptToScore, time_slice: TimeSlice
) -> AttemptToScore:
    """The attempt with the values of the challenge's program, or with its failure.

    Raises LeaseLost, and SandboxError if this host cannot run programs.
    """
    program = config.scoring_program
    if program is None or not attempt.runs_program:
        return attempt
    run = _finished_run(config, program, attempt, time_slice)
    if run.error_code:
        failure = Failure(run.error_code, run.error_message, run.error_detail)  # type: ignore[arg-type]
        return attempt._replace(failure=failure, metrics_code=run.code)
    numbers = {name: (run.values or {}).get(name) for name in program.values}
    numbers |= {name: one.value(numbers) for name, one in program.computed.items()}
    values = {name: metric_value(number) for name, number in numbers.items()}
    return attempt._replace(
        metric_values={**attempt.metric_values, **values}, metrics_code=run.code
    )


def metric_value(value: float | None) -> MetricValue:
    """A number of a program as the value of a metric; it is over the whole file."""
    return {
        "value": value,
        "defined": int(value is not None),
        "total": 1,
        "failed": 0,
        "standard_error": None,
        "interval": None,
        "method": "",
        "n": 0,
        "seed": None,
        "reason": None if value is not None else "undefined",
        "error": None,
    }


def _finished_run(
    config: ScoringConfig, program: ScoringProgram, attempt: AttemptToScore, time_slice: TimeSlice
) -> ProgramRun:
    code, part = program_code(config), config.part_in(attempt.phase_id).value
    same = ProgramRun.objects.filter(
        attempt=attempt.pk, step=ProgramRun.Step.SCORING, code=code, part=part
    )
    finished = same.filter(finished_at__isnull=False, error_code="").first()
    if finished is not None:
        return finished
    runner = _Runner(config, program, attempt, time_slice, code, part)
    return runner.finished(ProgramRun.Step.SCORING, runner.score)


class _Runner:
    """Runs the steps of one attempt under one config."""

    def __init__(
        self,
        config: ScoringConfig,
        program: ScoringProgram,
        attempt: AttemptToScore,
        time_slice: TimeSlice,
        code: str,
        part: str,
    ) -> None:
        self.config, self.program, self.attempt = config, program, attempt
        self.time_slice, self.code, self.part = time_slice, code, part
        self.dangers: dict[int, list[str]] = {}
        self.row = Attempt.objects.select_related("phase", "challenge").get(pk=attempt.pk)

    def finished(self, step: str, work: _Work) -> ProgramRun:
        """The run of a step, after doing its work unless it is done. Raises LeaseLost."""
        run, _ = ProgramRun.objects.get_or_create(
            attempt_id=self.attempt.pk, config=self.config, step=step
        )
        if run.finished_at is not None and (run.code, run.part) == (self.code, self.part):
            return run
        same_run = ProgramRun.objects.filter(pk=run.pk)
        tries = 0 if (run.code, run.part) != (self.code, self.part) else run.tries
        if tries >= MOST_TRIES:
            ended = _Ended(_LOST)
        else:
            same_run.update(
                code=self.code, part=self.part, tries=tries + 1, started_at=Now(), finished_at=None
            )
            ended = self._ended(run, work)
        retried(partial(self._save, run, ended))
        run.refresh_from_db()
        return run

    def _ended(self, run: ProgramRun, work: _Work) -> _Ended:
        try:
            with run_folder() as folder:
                return work(run, folder)
        except (ProgramRefused, ImportFailed) as error:
            return _Ended(Failure("invalid_result", str(error)[:MAX_MESSAGE]))
        except (ServiceError, ScriptRefused) as error:
            return _Ended(Failure("not_installed", _AWAY, str(error)))

    def _save(self, run: ProgramRun, ended: _Ended) -> None:
        self.time_slice.renew(stored=True)
        code, message, detail = ended.failure or ("", "", "")
        ProgramRun.objects.filter(pk=run.pk).update(
            values=ended.values,
            error_code=code,
            error_message=clean_text(message, MAX_MESSAGE),
            error_detail=detail,
            output=ended.output,
            notes=_clean([*ended.notes, *self.dangers.get(run.pk, ())]),
            seconds=ended.seconds,
            peak_bytes=ended.peak_bytes,
            path=ended.path,
            finished_at=Now(),
        )

    # The steps.

    def score(self, run: ProgramRun, folder: Path) -> _Ended:
        """Score the file, or what the submitted code wrote."""
        phase = self.row.phase.slug if self.row.phase else ""
        contract = contract_of(self.program.kind)
        role = ChallengeFile.Role.SCORING_PROGRAM
        program = unpacked(self._file(role, self.program.scoring_in(phase)))
        is_whole = contract.reads_archives(program)
        submission = folder / "input" / "res"
        submission.parent.mkdir(mode=0o755)
        if self.program.ingestion is not None:
            ingestion = self._ingestion()
            if ingestion.error_code:
                text = ingestion.error_message or _FAILED
                return _Ended(Failure(ingestion.error_code, text, ingestion.error_detail))  # type: ignore[arg-type]
            submission.mkdir(mode=0o755)
            unpack_into(submission, "results.zip", ingestion.path)
            self._warn(run, submission)
        else:
            submission.mkdir(mode=0o755)
            if not self._write_submission(run, submission, is_whole=is_whole):
                return _Ended(_NO_FILE)
        truth = folder / "input" / "ref"
        self._write_truth(truth, self.program.truth_in(phase), program, is_whole=is_whole)
        folder.joinpath("input").chmod(0o755)
        task = ScoringTask(
            truth=_names_in(truth),
            submission=_names_in(submission),
            part=self.part,  # type: ignore[arg-type]
            options=self.program.model_dump() | {"phase_codename": self.program.codename_in(phase)},
            phase=phase,
            meta=self.row.meta,
        )
        results = folder / "results"
        results.mkdir()
        scored = score_program(
            self._run(run),
            contract,
            program,
            folder / "input",
            task,
            results,
        )
        answer, ended = scored.answer, scored.run
        failure = None
        if answer.code is not None:
            visible = ended.failure is None or answer.code in ("timeout", "out_of_memory")
            detail = ended.output if ended.failure is None else ended.failure.detail
            failure = Failure(answer.code, answer.message if visible else _FAILED, detail)
        return _ended(ended, failure)._replace(
            values=dict(answer.values) if failure is None else None,
            notes=(*answer.notes, *self._missing(answer.values)),
        )

    def _missing(self, values: Mapping[str, object]) -> Iterator[str]:
        """A sentence for organisers if the program lacks a number that the challenge names."""
        lacking = [name for name in self.program.values if name not in values]
        if values and lacking:
            yield message(
                "{names}: no such number; the program returned {returned}",
                names=", ".join(lacking),
                returned=", ".join(values),
            )

    def _ingestion(self) -> ProgramRun:
        """The run of the submitted code: a finished one of this attempt, else a new one."""
        done = ProgramRun.objects.filter(
            attempt=self.attempt.pk, step=ProgramRun.Step.INGESTION, finished_at__isnull=False
        ).exclude(path="")
        # What the code wrote is not repeatable, so it is never run again once it has ended well.
        return done.first() or self.finished(ProgramRun.Step.INGESTION, self.ingest)

    def ingest(self, run: ProgramRun, folder: Path) -> _Ended:
        """Run the submitted code by the ingestion program, and store what it writes."""
        code, data, results = folder / "code", folder / "data", folder / "results"
        for path in (code, data, results):
            path.mkdir(mode=0o755)
        if not self._write_submission(run, code):
            return _Ended(_NO_FILE)
        phase = self.row.phase.slug if self.row.phase else ""
        role = ChallengeFile.Role.INGESTION_PROGRAM
        program = unpacked(self._file(role, self.program.ingestion_in(phase) or ""))
        if digest := self.program.input_in(phase):
            data = unpacked_data(self._file(ChallengeFile.Role.INPUT_DATA, digest), program)
        ended = ingest(self._run(run), program, data, code, results)
        if ended.failure is not None:
            return _ended(ended, ended.failure)
        stored = store_file(
            io.BytesIO(_zipped(results)), name="results.zip", challenge=self.row.challenge_id
        )
        return _ended(ended, None)._replace(path=stored.path)

    # Parts of them.

    def _file(self, role: ChallengeFile.Role, digest: str) -> ChallengeFile:
        return file_of(self.row.challenge, role, digest)

    def _write_truth(
        self, folder: Path, digest: str | None, program: Path, *, is_whole: bool
    ) -> None:
        """Write the truth, or the files of its zip, into a new folder."""
        if digest and not is_whole:
            file = self._file(ChallengeFile.Role.TRUTH, digest)
            copy_into(folder, unpacked_data(file, program))
            return
        folder.mkdir(mode=0o755)
        if digest:
            file = self._file(ChallengeFile.Role.TRUTH, digest)
            copy_file(folder, file.name, file.path)

    def _write_submission(self, run: ProgramRun, folder: Path, *, is_whole: bool = False) -> bool:
        """Write the attempt's file, or the files of its zip, into a folder; False without one.

        is_whole: leave a zip as it is, but look into it.
        """
        file = SubmittedFile.objects.filter(pk=self.attempt.pk).first()
        if file is None:
            return False
        if is_whole:
            copy_file(folder, file.name, file.path)
            with TemporaryDirectory(dir=folder.parent) as name:
                unpack_into(Path(name), file.name, file.path)
                self._warn(run, Path(name))
            return True
        unpack_into(folder, file.name, file.path)
        self._warn(run, folder)
        return True

    def _warn(self, run: ProgramRun, folder: Path) -> None:
        """Note what may be dangerous in files before a program reads them."""
        if notes := [*map(str, dangers(folder))]:
            self.dangers[run.pk] = notes
            ProgramRun.objects.filter(pk=run.pk).update(notes=_clean(notes))

    def _run(self, run: ProgramRun) -> RunOfProgram:
        base = RunOfProgram(
            programs_sandbox(), prepared=prepared_folder(self.row.challenge, self.program)
        )
        return replace(
            base,
            seconds=self.program.seconds,
            limits=limits_of(self.program.memory_mb),
            tell=_Watcher(run, self.time_slice),
        )


class _Watcher:
    """Renews the lease while a program runs, does other work, and stores what it prints."""

    def __init__(self, run: ProgramRun, time_slice: TimeSlice) -> None:
        self._run, self._time_slice = run, time_slice
        self._stored, self._next = 0, 0.0

    def __call__(self, printed: bytes) -> None:
        self._time_slice.go_on()
        if len(printed) > self._stored and time.monotonic() > self._next:
            self._stored, self._next = len(printed), time.monotonic() + SECONDS_PER_OUTPUT
            output = clean_output(printed, MAX_OUTPUT)
            ProgramRun.objects.filter(pk=self._run.pk).update(output=output)


def _clean(notes: Sequence[str]) -> list[str]:
    """Notes, which quote files of strangers, as a database takes them."""
    return [clean_text(note, MAX_MESSAGE) for note in notes]


def _ended(result: CommandResult, failure: Failure | None) -> _Ended:
    return _Ended(
        failure, output=result.output, seconds=result.seconds, peak_bytes=result.peak_bytes
    )


def _names_in(folder: Path) -> tuple[str, ...]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return tuple(path.relative_to(folder).as_posix() for path in files)


def _zipped(folder: Path) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in _names_in(folder):
            archive.write(folder / name, name)
    return buffer.getvalue()
