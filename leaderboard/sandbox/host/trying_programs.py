"""Run the program of a folder on an author's machine as a worker would."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Final

from leaderboard.programs import Contract, ProgramRefused, contract_of, recognised
from leaderboard.programs.reading.contract import CountedPart, ScoringTask
from leaderboard.rules.json.strict import InvalidJSON, parse_json
from leaderboard.rules.json.untyped_dicts import ForeignObject
from leaderboard.rules.json.values import JsonObject
from leaderboard.sandbox.contract import CommandResult
from leaderboard.sandbox.host.programs import MAX_SECONDS, RunOfProgram, ingest, score_program
from leaderboard.sandbox.host.sandbox import Sandbox

NAMES: Final = {
    "scoring": ("scoring_program", "program", "evaluation_script"),
    "truth": ("reference_data", "truth", "annotations"),
    "submission": ("submission", "sample_code_submission", "sample_result_submission"),
    "ingestion": ("ingestion_program",),
    "input": ("input_data",),
}
"""The folders of a competition, by what they hold; the first one that is there is used."""
OPTIONS: Final = "program.json"
_LIMITS = {"seconds": 600, "memory_mb": 2048}


def try_program(sandbox: Sandbox, folder: Path) -> JsonObject:
    """Run the ingestion program, if there is one, then score; returns what became of both.

    folder: see `NAMES`; a file `program.json` has the kind, settings and columns as in the field
    `program` of a challenge. Raises ProgramRefused and SandboxError.
    """
    options = _options(folder)
    with tempfile.TemporaryDirectory(prefix="podium-run-") as name:
        work = Path(name)
        work.chmod(0o711)
        places = {what: _copied(folder, what, work) for what in NAMES}
        program, truth, submission = (places[what] for what in ("scoring", "truth", "submission"))
        if program is None or truth is None or submission is None:
            raise ProgramRefused(
                "must have the folders scoring_program, reference_data, submission"
            )
        kind = options.get("kind")
        contract = contract_of(kind) if kind else recognised(program)
        contract.check(program)
        limits = _limits(options)
        run = RunOfProgram(sandbox, seconds=limits["seconds"])
        run = replace(run, limits=replace(run.limits, memory_bytes=limits["memory_mb"] << 20))
        report: JsonObject = {"kind": contract.name}
        if places["ingestion"] is not None:
            results = work / "ingested"
            results.mkdir(mode=0o755)
            data = places["input"] or _empty(work / "no_input")
            ended = ingest(run, places["ingestion"], data, submission, results)
            report["ingestion"] = _as_json(ended)
            if ended.failure is not None:
                return report
            submission = results
        given = work / "given"
        given.mkdir(mode=0o755)
        _copy(truth, given / "ref")
        _copy(submission, given / "res")
        for part in _parts(options):
            task = ScoringTask(_files(given / "ref"), _files(given / "res"), part, options)
            report[part] = _scored(run, contract, program, given, task, work / f"results-{part}")
    return report


def _scored(
    run: RunOfProgram,
    contract: Contract,
    program: Path,
    given: Path,
    task: ScoringTask,
    results: Path,
) -> JsonObject:
    results.mkdir()
    scored = score_program(run, contract, program, given, task, results)
    answer = scored.answer
    report = {**_as_json(scored.run), "values": dict(answer.values), "notes": list(answer.notes)}
    if answer.code is not None:
        report["error"] = {"code": answer.code, "message": answer.message}
    return report


def _as_json(ended: CommandResult) -> JsonObject:
    failure = ended.failure
    return {
        "output": ended.output,
        "seconds": round(ended.seconds, 3),
        "peak_bytes": ended.peak_bytes,
        "error": None if failure is None else {"code": failure.code, "message": failure.message},
    }


def _options(folder: Path) -> ForeignObject:
    path = folder / OPTIONS
    if not path.exists():
        return {}
    try:
        options = parse_json(path.read_bytes())
    except InvalidJSON as error:
        raise ProgramRefused(f"{OPTIONS}: {error}") from None
    if not isinstance(options, dict):
        raise ProgramRefused(f"{OPTIONS}: must be an object")
    return options


def _limits(options: ForeignObject) -> dict[str, int]:
    limits = {name: options.get(name, default) for name, default in _LIMITS.items()}
    if not all(type(value) is int and value > 0 for value in limits.values()):
        raise ProgramRefused(f"{OPTIONS}: seconds and memory_mb must be whole numbers above 0")
    return limits | {"seconds": min(limits["seconds"], MAX_SECONDS)}


def _parts(options: ForeignObject) -> tuple[CountedPart, ...]:
    has_parts = options.get("usage_column") or options.get("splits")
    return ("public", "private") if has_parts else ("all",)


def _copied(folder: Path, what: str, work: Path) -> Path | None:
    """A copy of a part of the competition that the program's user may read; None if it has none."""
    for name in NAMES[what]:
        if (folder / name).is_dir():
            _copy(folder / name, work / what)
            return work / what
    return None


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target)
    for path in (target, *target.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _empty(folder: Path) -> Path:
    folder.mkdir(mode=0o755)
    return folder


def _files(folder: Path) -> tuple[str, ...]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return tuple(path.relative_to(folder).as_posix() for path in files)
