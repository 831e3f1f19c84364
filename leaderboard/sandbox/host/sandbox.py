"""`Sandbox`, the one object through which the product runs plugin code."""

import json
import os
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from types import TracebackType

from leaderboard.rules.noop import noop
from leaderboard.rules.plugins.entrypoints import InvalidEntrypoint
from leaderboard.sandbox.contract import (
    Command,
    CommandResult,
    Failure,
    IsolationMissing,
    IsolationReport,
    Limits,
    SandboxSettings,
)
from leaderboard.sandbox.host.commands import COMMAND_LIMITS, TellOutput, run_command
from leaderboard.sandbox.host.pipes import Child
from leaderboard.sandbox.host.predicting import Predicting
from leaderboard.sandbox.host.report import attack_everything
from leaderboard.sandbox.host.scoring import Scoring
from leaderboard.sandbox.host.text_client import TextMetricClient
from leaderboard.sandbox.host.zygote import LEASE_MS
from leaderboard.sandbox.host.zygotes import Zygotes
from leaderboard.sandbox.jobs import EvaluateJob, Job


class Sandbox(Scoring, Predicting):
    """Runs plugins for one worker process. The first call that needs a zygote starts it.

    Any thread may use it, one call at a time; a second thread waits. A forked process starts
    zygotes of its own.
    """

    def __init__(self, settings: SandboxSettings | None = None) -> None:
        self.settings = settings or SandboxSettings()
        self._zygotes = Zygotes(self.settings)
        self._warm = None
        self._line: TextMetricClient | None = None
        self._report: IsolationReport | None = None
        self._lock = threading.Lock()
        self._busy: int | None = None
        self._used = monotonic()
        _sandboxes.add(self)

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the zygotes and their children, even while a text metric computes.

        The next call starts a new zygote.
        """
        line = self._line
        if line is not None:
            line.interrupt()
        with self._exclusive():
            self._end_warm_child()
            self._zygotes.close()

    def close_if_idle(self, seconds: float) -> bool:
        """End the zygotes if there was no call for some seconds; returns whether they ended."""
        if monotonic() - self._used < seconds or not self._lock.acquire(blocking=False):
            return False
        try:
            has_any = self._zygotes.has_any
            self._end_warm_child()
            self._zygotes.close()
            return has_any
        finally:
            self._lock.release()

    # Calls of a worker.

    @contextmanager
    def evaluating(
        self, entrypoint: str, parameters: Mapping[str, object]
    ) -> Iterator[TextMetricClient]:
        """A client of a text metric with its parameters, for one block of instances after another.

        The metric has a child of its own, which ends when the `with` block ends. Raises
        IsolationMissing and SandboxError, and so do the client's calls; errors of the metric are
        answers.
        """
        name, refused = entrypoint, None
        try:
            name = self._named(entrypoint, "text_metric")
        except InvalidEntrypoint as error:
            refused = Failure("load_error", error.args[0])
        given, wrong = self._with_model(parameters)
        job: EvaluateJob = {
            "verb": "evaluate",
            **self._plugins("text_metric", name),
            "entrypoint": name,
            "parameters": given,
            "wrong": wrong,
            "models": [os.path.abspath(folder) for folder in self.settings.models],
        }
        with self._exclusive():
            self._require_isolation()
            self._line = line = TextMetricClient(self, job, refused)
            try:
                yield line
            finally:
                self._line = None
                line.end()

    def run_command(
        self,
        command: Command,
        results: Path,
        *,
        seconds: float,
        limits: Limits = COMMAND_LIMITS,
        tell: TellOutput = noop,
    ) -> CommandResult:
        """Run a program: see `commands.run_command`. Several threads may do so at a time.

        Raises IsolationMissing and SandboxError.
        """
        if self.settings.isolation == "require":
            with self._exclusive():
                self._require_isolation()
        return run_command(
            self.settings, command, results, seconds=seconds, limits=limits, tell=tell
        )

    def report(self) -> IsolationReport:
        """What the isolation enforces on this host, as real attacks show; cached in the process."""
        with self._exclusive():
            return self._reported()

    # Locking, children, zygotes.

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Admit one caller at a time.

        Raises RuntimeError for a thread that still reads outcomes: it would wait for itself.
        """
        here = threading.get_ident()
        if self._busy == here:
            raise RuntimeError("this thread is still reading outcomes of this sandbox")
        with self._lock:
            self._busy = here
            try:
                yield
            finally:
                self._busy = None
                self._used = monotonic()

    def _spawn(
        self,
        job: Job,
        cpu_seconds: int,
        program: str | None = None,
        *,
        lease_ms: int = LEASE_MS,
        seconds: float | None = None,
    ) -> Child:
        """Start a child with a job, after ending the previous child; start a zygote if needed.

        seconds: the time limit, before which the child writes where it is; None: it never does.
        """
        self._end_warm()
        line = json.dumps({**job, "seconds": seconds}).encode() + b"\n"
        return self._zygotes.for_job(job).spawn(line, cpu_seconds, program, lease_ms=lease_ms)

    def _end_zygote(self) -> None:
        self._end_warm_child()
        self._zygotes.end_current()

    def _forget_after_fork(self) -> None:
        """In a forked process: drop the zygotes and the lock, which belong to the parent."""
        self._lock, self._busy = threading.Lock(), None
        if self._warm is not None:
            self._warm.line.child.close()
        if self._line is not None:
            self._line.forget()
        self._warm = self._line = None
        self._zygotes.forget()

    def _require_isolation(self) -> None:
        if self.settings.isolation == "require":
            report = self._reported()
            if not report.complete:
                raise IsolationMissing(report.missing)

    def _reported(self) -> IsolationReport:
        if self._report is None:
            self._report = attack_everything(self.settings)
        return self._report


_sandboxes: "weakref.WeakSet[Sandbox]" = weakref.WeakSet()


def _after_fork() -> None:
    for sandbox in list(_sandboxes):
        sandbox._forget_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
