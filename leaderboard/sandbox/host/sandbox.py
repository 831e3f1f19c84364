"""`Sandbox`, the one object through which the product runs plugin code."""

import json
import math
import os
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import NamedTuple

from leaderboard.rules.entrypoints import InvalidEntrypoint
from leaderboard.rules.json_values import JsonObject
from leaderboard.sandbox.contract import (
    Failure,
    IsolationMissing,
    IsolationReport,
    Outcome,
    Request,
    SandboxSettings,
)
from leaderboard.sandbox.host import outcomes, sources
from leaderboard.sandbox.host.asking import TRIES, Asking
from leaderboard.sandbox.host.fork_servers import PROJECT
from leaderboard.sandbox.host.outcomes import ScoringChild
from leaderboard.sandbox.host.pipes import Child, Gone, ZygoteDied
from leaderboard.sandbox.host.report import attack_everything
from leaderboard.sandbox.host.text_client import TextMetricClient
from leaderboard.sandbox.host.zygote import LEASE_MS, ZygoteClient
from leaderboard.sandbox.host.zygotes import Zygotes
from leaderboard.sandbox.jobs import EvaluateJob, Job, ScoreJob, SentScoreJob

WINDOW = 100
"""How many requests are written to a child before their answers are read."""

WARM_SECONDS = 10.0
"""How long one child may serve successive batches before a fresh one replaces it."""

CODE_TRIES = 3
"""How often a request is scored again because the scorer's files changed meanwhile."""

_SPARE_CPU_SECONDS = 2


class PluginFilesChanged(Exception):
    """The scorer's files changed while a child started, so the code it imported is unknown."""


class _Warm(NamedTuple):
    """The child that serves batches of one scorer under one config."""

    job: ScoreJob
    line: ScoringChild


class Sandbox(Asking):
    """Runs plugins for one worker process. The first call that needs a zygote starts it.

    Any thread may use it, one call at a time; a second thread waits. A forked process starts
    zygotes of its own.
    """

    def __init__(self, settings: SandboxSettings | None = None) -> None:
        self.settings = settings or SandboxSettings()
        self._zygotes = Zygotes(self.settings)
        self._warm: _Warm | None = None
        self._line: TextMetricClient | None = None
        self._report: IsolationReport | None = None
        self._lock = threading.Lock()
        self._busy: int | None = None
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
        with self._turn():
            self._end_warm_child()
            self._zygotes.close()

    # Calls of a worker.

    def score(
        self,
        entrypoint: str,
        config: JsonObject | None,
        requests: Sequence[Request],
        *,
        timeout_ms: int,
        fresh: bool,
    ) -> Iterator[Outcome]:
        """Score requests; yields one outcome for each, in order, as soon as it is known.

        fresh: use a child of its own for each request, and end it with everything it started
        before its outcome is yielded. Otherwise one child serves all requests that it survives;
        after a timeout or a crash another one serves the rest. timeout_ms: for each request, by
        this process's clock. Raises IsolationMissing and SandboxError; errors of a scorer are
        outcomes.
        """
        try:
            job: ScoreJob = {
                "verb": "score",
                **self._plugins("scorer"),
                "entrypoint": self._named(entrypoint, "scorer"),
                "config": config or {},
                "batch": not fresh,
                "code": "",
            }
        except InvalidEntrypoint as error:
            refused = outcomes.failed(Failure("load_error", str(error)))
            yield from [refused] * len(requests)
            return
        with self._turn():
            self._require_isolation()
            yield from self._score(job, requests, timeout_ms, fresh)

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
            refused = Failure("load_error", str(error))
        given, wrong = self._with_model(parameters)
        job: EvaluateJob = {
            "verb": "evaluate",
            **self._plugins("text_metric"),
            "entrypoint": name,
            "parameters": given,
            "wrong": wrong,
            "models": [os.path.abspath(folder) for folder in self.settings.models],
        }
        with self._turn():
            self._require_isolation()
            self._line = line = TextMetricClient(self, job, refused)
            try:
                yield line
            finally:
                self._line = None
                line.end()

    def report(self) -> IsolationReport:
        """What the isolation enforces on this host; real attacks find out, once per process."""
        with self._turn():
            return self._reported()

    def code_of(self, entrypoint: str) -> str:
        """The identity of a plugin's current code; "" if its files cannot be read."""
        return sources.code_of(entrypoint, self.settings.packages, self.settings.path, PROJECT)

    # Locking, children, zygotes.

    @property
    def _zygote(self) -> ZygoteClient | None:
        """The zygote of the last child, if any."""
        return self._zygotes.current

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Let one caller in at a time. Raises RuntimeError for a thread that still reads outcomes,
        because it would wait for itself.
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

    def _spawn(
        self,
        job: Job,
        cpu_seconds: int,
        program: str | None = None,
        *,
        lease_ms: int = LEASE_MS,
    ) -> Child:
        """Start a child with a job, after ending the previous child; start a zygote if needed."""
        self._end_warm()
        line = json.dumps(job).encode() + b"\n"
        return self._zygotes.for_job(job).spawn(line, cpu_seconds, program, lease_ms=lease_ms)

    def _end_warm(self) -> None:
        warm, self._warm = self._warm, None
        if warm is not None:
            warm.line.end()

    def _end_zygote(self) -> None:
        self._end_warm_child()
        self._zygotes.end_current()

    def _end_warm_child(self) -> None:
        """Close the pipes of a child that ends with its zygote."""
        if self._warm is not None:
            self._warm.line.child.close()
            self._warm = None

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

    # Scoring.

    def _score(
        self, job: ScoreJob, requests: Sequence[Request], timeout_ms: int, fresh: bool
    ) -> Iterator[Outcome]:
        size = 1 if fresh else WINDOW
        done = deaths = changes = 0
        while done < len(requests):
            # The code is a part of the job, so that no child is used that imported older code.
            code = self.code_of(job["entrypoint"]) if changes < CODE_TRIES else ""
            coded: ScoreJob = {**job, "code": code}
            window = requests[done : done + size]
            try:
                for outcome in self._window(coded, window, timeout_ms, fresh):
                    done, deaths, changes = done + 1, 0, 0
                    yield outcome
            except ZygoteDied:
                self._end_zygote()
                deaths += 1
            except PluginFilesChanged:
                changes += 1
            if deaths == TRIES:
                done, deaths = done + 1, 0
                yield outcomes.failed(outcomes.crashed(None))

    def _window(
        self, job: ScoreJob, requests: Sequence[Request], timeout_ms: int, fresh: bool
    ) -> Iterator[Outcome]:
        """Outcomes of a few requests from one child, up to the one that ends the child.

        Raises PluginFilesChanged instead of the first outcome if the child's code is not certain.
        """
        line = self._fresh(job, timeout_ms) if fresh else self._warmed(job, timeout_ms)
        try:
            line.send(requests)
            for _ in requests:
                is_first = line.is_new
                outcome = line.next_outcome(timeout_ms)
                if is_first and line.code and line.code != self.code_of(job["entrypoint"]):
                    if line.alive:
                        line.end()
                    raise PluginFilesChanged
                yield outcome
                if not line.alive:
                    return
        except Gone:  # its lease ended between two calls: the caller starts another child
            return
        finally:
            if line.owed:
                line.end()
            if not line.alive:
                self._warm = None

    def _fresh(self, job: ScoreJob, timeout_ms: int) -> ScoringChild:
        return self._scoring_child(job, math.ceil(timeout_ms / 1000), fresh=True)

    def _warmed(self, job: ScoreJob, timeout_ms: int) -> ScoringChild:
        warm = self._warm
        if warm is not None and warm.job == job and warm.line.child.age() < WARM_SECONDS:
            return warm.line
        seconds = math.ceil(WARM_SECONDS + WINDOW * timeout_ms / 1000)
        line = self._scoring_child(job, seconds, fresh=False)
        self._warm = _Warm(job, line)
        return line

    def _scoring_child(self, job: ScoreJob, cpu_seconds: int, *, fresh: bool) -> ScoringChild:
        token = outcomes.new_token()
        limit = self.settings.limits.output_bytes
        sent: SentScoreJob = {**job, "token": token, "output_bytes": limit}
        child = self._spawn(sent, cpu_seconds + _SPARE_CPU_SECONDS)
        return ScoringChild(child, token, fresh=fresh, code=job["code"])


_sandboxes: "weakref.WeakSet[Sandbox]" = weakref.WeakSet()


def _after_fork() -> None:
    for sandbox in list(_sandboxes):
        sandbox._forget_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
