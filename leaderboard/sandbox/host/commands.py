"""Run a command in a zygote of its own, and write its results into a folder.

Nothing that a child sends is trusted: names, sizes and counts of files are checked here.
"""

from __future__ import annotations

import binascii
import json
import math
import os
import sysconfig
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic

from leaderboard.rules.json.untyped_dicts import ForeignObject
from leaderboard.rules.noop import noop
from leaderboard.rules.plugins.endings import problem_of_ending
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.plugin_output import MAX_DETAIL_BYTES, clean_output
from leaderboard.sandbox.contract import (
    PREPARED,
    SCRATCH,
    Command,
    CommandResult,
    Failure,
    HostOverfull,
    Limits,
    SandboxError,
    SandboxSettings,
    command_settings,
)
from leaderboard.sandbox.host.outcomes import NoAnswer, crashed, parse, unexpected_answer
from leaderboard.sandbox.host.pipes import Child, ChildExited, DeadlineExceeded, ZygoteDied
from leaderboard.sandbox.host.views import View
from leaderboard.sandbox.host.zygote import ZygoteClient
from leaderboard.sandbox.jobs import CommandJob

COMMAND_LIMITS = Limits(memory_bytes=2 << 30, file_bytes=256 << 20, files=8192, open_files=256)
GRACE_SECONDS = 5.0
"""How long the host waits, beside a command's own time, for the child that waits for it."""
LOOK_SECONDS = 1.0
_LEASE_MS = 15_000
_MAX_PARTS = 20

ENVIRONMENT = {
    "USER": "program",
    "LOGNAME": "program",
    "MPLBACKEND": "Agg",
    "JOBLIB_MULTIPROCESSING": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONHASHSEED": "0",
    "HF_DATASETS_OFFLINE": "1",
    "HF_EVALUATE_OFFLINE": "1",
}

TellOutput = Callable[[bytes], object]
"""A function that gets everything printed so far, about once a second. What it raises ends the
command."""


def run_command(
    settings: SandboxSettings,
    command: Command,
    results: Path,
    *,
    seconds: float,
    limits: Limits = COMMAND_LIMITS,
    tell: TellOutput = noop,
) -> CommandResult:
    """Run a command and copy its results into an existing, empty folder. Raises SandboxError.

    seconds: its limit; `limits.file_bytes` and `limits.files` limit all files that it writes.
    """
    mounts = dict(command.places)
    if command.prepared:
        mounts[PREPARED] = command.prepared
    try:
        zygote = ZygoteClient(command_settings(settings, limits), View(), mounts, SCRATCH)
        try:
            program = PREPARED if command.prepared else ""
            job = _job(settings, command, mounts, seconds, limits)
            child = zygote.spawn(
                json.dumps(job).encode() + b"\n", _cpu_seconds(seconds), program, lease_ms=_LEASE_MS
            )
            try:
                return _Run(child, results, seconds, limits, tell).result()
            finally:
                child.end()
        finally:
            zygote.close()
    except ZygoteDied:
        raise SandboxError("the process that watches a program ended") from None


def _job(
    settings: SandboxSettings,
    command: Command,
    mounts: dict[str, str],
    seconds: float,
    limits: Limits,
) -> CommandJob:
    packages = sorted({sysconfig.get_path(name) for name in ("purelib", "platlib")})
    own = {} if command.prepared else {"PYTHONPATH": os.pathsep.join(packages)}
    return {
        "verb": "command",
        "kind": "program",
        "arguments": command.arguments,
        "folder": command.folder,
        "places": mounts,
        "environment": {**ENVIRONMENT, **own, **command.environment},
        "prepared": command.prepared,
        "has_fixed_paths": command.has_fixed_paths,
        "filtered": settings.isolation != "off",
        "seconds": seconds,
        "result_bytes": limits.file_bytes,
        "result_files": limits.files,
    }


def _cpu_seconds(seconds: float) -> int:
    return math.ceil(seconds + GRACE_SECONDS) * (os.cpu_count() or 1)


class _Run:
    """Reads the answers of one child."""

    def __init__(
        self, child: Child, results: Path, seconds: float, limits: Limits, tell: TellOutput
    ) -> None:
        self._child, self._results, self._seconds = child, results, seconds
        self._left_bytes, self._left_files = limits.file_bytes, limits.files
        self._tell = tell
        self._files: list[str] = []
        self._started = monotonic()

    def result(self) -> CommandResult:
        """Wait for the end of the command and for its results."""
        try:
            ending = self._ending()
            if ending.get("refused") is True:
                return self._failed(Failure("not_installed", _NO_ROOT))
            status, spent, peak = ending["status"], ending["seconds"], ending["peak_bytes"]
            is_right = isinstance(spent, float) and isinstance(peak, int)
            if not isinstance(status, int | None) or not is_right:
                raise NoAnswer("its status is no number")
            left_out = self._receive()
        except DeadlineExceeded:
            return self._failed(Failure("timeout", _late(self._seconds)))
        except ChildExited as gone:
            if gone.is_of_host:
                raise HostOverfull from None
            return self._failed(crashed(gone.status, "program"))
        except (NoAnswer, KeyError, binascii.Error) as error:
            return self._failed(unexpected_answer(NoAnswer(str(error)), "program"))
        self._child.end()  # the rest of what it printed arrives with its end
        printed = self._printed()
        problem = problem_of_ending("program", status, printed[-MAX_DETAIL_BYTES:], self._seconds)
        failure = Failure(*problem, printed[-MAX_DETAIL_BYTES:]) if problem else None
        return CommandResult(
            status, failure, printed, float(spent), peak, tuple(self._files), left_out
        )

    def _ending(self) -> ForeignObject:
        whole = self._seconds + GRACE_SECONDS
        while True:
            waited = monotonic() - self._child.heard
            try:
                line = self._child.next_line(min(whole, waited + LOOK_SECONDS))
            except DeadlineExceeded:
                if monotonic() - self._child.heard >= whole:
                    raise
                self._tell(self._child.printed)
            else:
                return _object(line)

    def _receive(self) -> int:
        """Write the files that the child sends; returns how many it left out."""
        while True:
            answer = _object(self._child.next_line(GRACE_SECONDS * 12))
            if isinstance(left_out := answer.get("left_out"), int):
                return left_out
            self._receive_file(_checked_name(answer.get("file")))

    def _receive_file(self, name: str) -> None:
        self._left_files -= 1
        if self._left_files < 0:
            raise NoAnswer("it sends too many files")
        path = self._results / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "xb") as file:
                while line := self._child.next_line(GRACE_SECONDS * 12):
                    piece = binascii.a2b_base64(line)
                    self._left_bytes -= len(piece)
                    if self._left_bytes < 0:
                        raise NoAnswer("it sends too much")
                    file.write(piece)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            raise NoAnswer("it sends a file twice") from None
        self._files.append(name)

    def _failed(self, failure: Failure) -> CommandResult:
        with suppress(ZygoteDied):
            self._child.end()
        failure = failure._replace(detail=failure.detail or self._printed()[-MAX_DETAIL_BYTES:])
        return CommandResult(None, failure, self._printed(), monotonic() - self._started, 0)

    def _printed(self) -> str:
        limit = self._child.zygote.settings.limits.output_bytes
        return clean_output(self._child.printed_with_end(), limit + MAX_DETAIL_BYTES)


_NO_ROOT = message(
    "The program opens files below /app, which this server cannot offer: it needs a private root. "
    "Use $input and $output, or the arguments of the command."
)


def _late(seconds: float) -> str:
    problem = problem_of_ending("program", None, "", seconds)
    return problem[1] if problem else ""


def _object(line: bytes) -> ForeignObject:
    answer = parse(line)
    if not isinstance(answer, dict):
        raise NoAnswer("not an object")
    return answer


def _checked_name(name: object) -> str:
    """A relative path of a result. Raises NoAnswer for one that leads elsewhere."""
    if not isinstance(name, str) or not name.isprintable() or len(name.encode()) > 1000:
        raise NoAnswer("the name of a file is wrong")
    parts = name.split("/")
    if len(parts) > _MAX_PARTS or any(part in ("", ".", "..") or "\\" in part for part in parts):
        raise NoAnswer("the name of a file is wrong")
    if any(len(part.encode()) > 255 for part in parts):
        raise NoAnswer("the name of a file is too long")
    return name
