"""Attacks of hostile submissions, for the report: code, what it leaves behind, and pickles.

An ingestion program runs the code of a participant as a challenge does, then a scoring program
reads what it wrote, with the truth in sight. Both are those of an honest organiser.
"""

from __future__ import annotations

import json
import pickle
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from leaderboard.programs.codabench import CONTRACT
from leaderboard.programs.reading.contract import ScoringTask
from leaderboard.sandbox.contract import (
    LANDLOCK,
    ROOT,
    SECCOMP,
    Command,
    CommandResult,
    Limits,
    SandboxSettings,
    ThreatReport,
)
from leaderboard.sandbox.host.commands import COMMAND_LIMITS, TellOutput, run_command
from leaderboard.sandbox.host.programs import RunOfProgram, ingest, score_program

CLOCK: Final = "worker's clock"
APART: Final = "separate runs"
_TRUTH, _OTHERS, _FORGED, _DISK, _TIME, _PICKLES = SUBMISSION_ATTACKS = (
    "submissions: reading the truth",
    "submissions: other attempts",
    "submissions: forging a score",
    "submissions: filling the disk",
    "submissions: outliving the limit",
    "submissions: pickles",
)
_STOPPED_BY: Final[Mapping[str, tuple[str, ...]]] = {
    _TRUTH: (ROOT, LANDLOCK),
    _OTHERS: (ROOT, LANDLOCK),
    _FORGED: (APART,),
    _DISK: (ROOT,),
    _TIME: (CLOCK,),
    _PICKLES: (ROOT, LANDLOCK, SECCOMP),
}
_SECONDS, _SHORT_SECONDS, _LATE_SECONDS = 10.0, 0.2, 3.0
_MOST_BYTES = 1 << 20
_HONEST = {"right": 0.5}

_METADATA = "command: python3 main.py $input $output $submission_program\n"
_INGESTION = "import sys\nsys.path.insert(0, sys.argv[3])\nimport model\nmodel.run(sys.argv[2])\n"
_SCORING = f"""
import json, os, pickle, sys, tempfile
given, out = sys.argv[1:3]
with open(os.path.join(given, "res", "answer.pkl"), "rb") as file:
    done = pickle.load(file)
if os.path.exists(os.path.join(tempfile.gettempdir(), "left")):
    done["{_OTHERS}"] = "left a file for the next run"
with open(os.path.join(out, "done.json"), "w") as file:
    json.dump(done, file)
with open(os.path.join(out, "scores.json"), "w") as file:
    json.dump({_HONEST!r}, file)
"""
_MODEL = """
import json, os, shutil, signal, tempfile

def opened(path, what):
    try:
        open(path).close()
    except OSError:
        return {}
    return what

def filled(out):
    written = 0
    try:
        for number in range(8):
            with open(os.path.join(out, str(number)), "wb") as file:
                written += file.write(bytes(MOST))
    except OSError:
        pass
    for number in range(8):
        if os.path.exists(os.path.join(out, str(number))):
            os.unlink(os.path.join(out, str(number)))
    return {DISK: "wrote %d bytes of %d" % (written, MOST)} if written > 2 * MOST else {}

def run(out):
    if ENDLESS:
        for number in (signal.SIGTERM, signal.SIGABRT, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        while True:
            pass
    done = filled(out)
    done.update(opened(TRUTH_FILE, {TRUTH: "read the truth"}))
    done.update(opened(OTHERS_FILE, {OTHERS: "read the file of another attempt"}))
    with open(os.path.join(tempfile.gettempdir(), "left"), "w") as file:
        file.write("left")
    os.mkdir(os.path.join(out, "metadata"))
    with open(os.path.join(out, "metadata", "x"), "w") as file:
        file.write("exitCode: 0")
    for name, value in (("scores.json", {"right": 1.0}), ("done.json", done)):
        with open(os.path.join(out, name), "w") as file:
            json.dump(value, file)
    shutil.copy(os.path.join(os.path.dirname(__file__), "answer.pkl"), out)
"""
_PICKLED = """
def attack():
    import os
    try:
        open(OTHERS_FILE).close()
        return {PICKLES: "read the file of another attempt"}
    except OSError:
        pass
    try:
        if os.fork() == 0:
            os._exit(0)
        return {PICKLES: "started a process"}
    except OSError:
        return {}
"""


class _Code:
    """A pickle that runs code when it is read, which returns what the code found out."""

    def __init__(self, source: str) -> None:
        self._source = source

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return eval, (
            f"(lambda names: (exec({self._source!r}, names), names['attack']())[1])({{}})",
        )


@dataclass(frozen=True)
class _Commands:
    """Runs commands as a sandbox does that does not ask for its report."""

    settings: SandboxSettings

    def run_command(
        self,
        command: Command,
        results: Path,
        *,
        seconds: float,
        limits: Limits,
        tell: TellOutput,
    ) -> CommandResult:
        return run_command(
            self.settings, command, results, seconds=seconds, limits=limits, tell=tell
        )


def attack_as_submission(
    settings: SandboxSettings, layers: frozenset[str]
) -> Iterator[ThreatReport]:
    """Yield what each attack did. layers: those in force."""
    with tempfile.TemporaryDirectory(prefix="podium-attack-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        done, failure = _done_in(folder, settings)
    for threat in SUBMISSION_ATTACKS:
        if failure:
            yield ThreatReport(threat, None, (), f"no program can run: {failure}")
            continue
        note = done.get(threat, "")
        by = tuple(by for by in _STOPPED_BY[threat] if by in {*layers, CLOCK, APART})
        yield ThreatReport(threat, not note, () if note else by, note)


def _done_in(folder: Path, settings: SandboxSettings) -> tuple[dict[str, str], str]:
    """What the attacks did, and why no program can run; "" if one can."""
    limits = replace(
        COMMAND_LIMITS, memory_bytes=settings.limits.memory_bytes, file_bytes=_MOST_BYTES
    )
    run = RunOfProgram(_Commands(settings), seconds=_SECONDS, limits=limits)
    truth, foreign_file = folder / "given" / "ref" / "truth", folder / "others" / "file"
    for path in (truth, foreign_file):
        _write(path.parent, {path.name: secrets.token_hex(8)})
    code = _write(folder / "code", _submission(truth, foreign_file, is_endless=False))
    program = _write(folder / "ingestion", {"metadata": _METADATA, "main.py": _INGESTION})
    results = folder / "given" / "res"
    results.mkdir(mode=0o755)
    ended = ingest(run, program, _write(folder / "data", {}), code, results)
    if ended.failure is not None:
        return {}, ended.failure.message
    done = _read(results)
    scoring = _write(folder / "scoring", {"metadata": _METADATA, "main.py": _SCORING})
    (folder / "given").chmod(0o755)
    scores = folder / "scores"
    scores.mkdir()
    scored = score_program(run, CONTRACT, scoring, folder / "given", ScoringTask(), scores)
    if scored.run.failure is not None:
        return {}, scored.run.failure.message
    done |= _read(scores)
    if dict(scored.answer.values) != _HONEST:
        done[_FORGED] = "the score is not that of the scoring program"
    endless = _write(folder / "endless", _submission(truth, foreign_file, is_endless=True))
    short = replace(run, seconds=_SHORT_SECONDS)
    late = folder / "late"
    late.mkdir()
    ended = ingest(short, program, folder / "data", endless, late)
    if ended.failure is None or ended.seconds > _LATE_SECONDS:
        done[_TIME] = f"ran for {ended.seconds:.1f} seconds"
    return done, ""


def _submission(truth: Path, foreign_file: Path, *, is_endless: bool) -> dict[str, str | bytes]:
    names = {"TRUTH": _TRUTH, "OTHERS": _OTHERS, "DISK": _DISK, "PICKLES": _PICKLES}
    values = {
        **names,
        "TRUTH_FILE": str(truth),
        "OTHERS_FILE": str(foreign_file),
        "MOST": _MOST_BYTES,
        "ENDLESS": is_endless,
    }
    head = "".join(f"{name} = {value!r}\n" for name, value in values.items())
    return {"model.py": head + _MODEL, "answer.pkl": pickle.dumps(_Code(head + _PICKLED))}


def _write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    folder.mkdir(parents=True, mode=0o755)
    for name, content in files.items():
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(0o644)
    return folder


def _read(results: Path) -> dict[str, str]:
    done: dict[str, str] = json.loads((results / "done.json").read_bytes())
    return done
