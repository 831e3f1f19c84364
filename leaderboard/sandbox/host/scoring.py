"""Scores requests in children; a base class of `Sandbox`."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.entrypoints import InvalidEntrypoint
from leaderboard.sandbox.contract import Failure, HostOverfull, Outcome, Request
from leaderboard.sandbox.host import outcomes, sources
from leaderboard.sandbox.host.asking import TRIES, Asking
from leaderboard.sandbox.host.fork_servers import PROJECT
from leaderboard.sandbox.host.outcomes import ScoringChild
from leaderboard.sandbox.host.pipes import ChildExited, ZygoteDied
from leaderboard.sandbox.jobs import ScoreJob, SentScoreJob

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


class Scoring(Asking):
    """The requests to a scorer, and the child that serves batches of one scorer."""

    _warm: _Warm | None = None

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
        this process's clock. Raises IsolationMissing, HostOverfull and SandboxError; errors of a
        scorer are outcomes.
        """
        try:
            name = self._named(entrypoint, "scorer")
            job: ScoreJob = {
                "verb": "score",
                **self._plugins("scorer", name),
                "entrypoint": name,
                "config": config or {},
                "batch": not fresh,
                "code": "",
            }
        except InvalidEntrypoint as error:
            refused = outcomes.failed(Failure("load_error", error.args[0]))
            yield from [refused] * len(requests)
            return
        with self._exclusive():
            self._require_isolation()
            yield from self._score(job, requests, timeout_ms, fresh)

    def code_of(self, entrypoint: str) -> str:
        """The identity of a plugin's current code; "" if its files cannot be read."""
        settings = self.settings
        return sources.code_of(
            entrypoint, settings.packages, settings.path, PROJECT, settings.uploads
        )

    def _end_warm(self) -> None:
        warm, self._warm = self._warm, None
        if warm is not None:
            warm.line.end()

    def _end_warm_child(self) -> None:
        """Close the pipes of a child that ends with its zygote."""
        if self._warm is not None:
            self._warm.line.child.close()
            self._warm = None

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
            except HostOverfull:
                deaths += 1
                if deaths == TRIES:
                    raise
            except PluginFilesChanged:
                changes += 1
            if deaths == TRIES:
                done, deaths = done + 1, 0
                yield outcomes.failed(outcomes.crashed(None))

    def _window(
        self, job: ScoreJob, requests: Sequence[Request], timeout_ms: int, fresh: bool
    ) -> Iterator[Outcome]:
        """Yield the outcomes of some requests from one child, until one of them ends the child.

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
        except ChildExited:  # its lease ended between two calls: the caller starts another child
            return
        finally:
            if line.owed:
                line.end()
            if not line.alive:
                self._warm = None

    def _fresh(self, job: ScoreJob, timeout_ms: int) -> ScoringChild:
        return self._scoring_child(job, math.ceil(timeout_ms / 1000), timeout_ms / 1000)

    def _warmed(self, job: ScoreJob, timeout_ms: int) -> ScoringChild:
        warm = self._warm
        if warm is not None and warm.job == job and warm.line.child.age() < WARM_SECONDS:
            return warm.line
        seconds = math.ceil(WARM_SECONDS + WINDOW * timeout_ms / 1000)
        line = self._scoring_child(job, seconds)
        self._warm = _Warm(job, line)
        return line

    def _scoring_child(
        self, job: ScoreJob, cpu_seconds: int, seconds: float | None = None
    ) -> ScoringChild:
        """A child for many requests; with `seconds` a fresh one for a single request."""
        token = outcomes.new_token()
        limit = self.settings.limits.output_bytes
        sent: SentScoreJob = {**job, "token": token, "output_bytes": limit}
        child = self._spawn(sent, cpu_seconds + _SPARE_CPU_SECONDS, seconds=seconds)
        return ScoringChild(child, token, fresh=seconds is not None, code=job["code"])
