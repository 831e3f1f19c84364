"""Running scorers: the sandbox against plain calls, and a whole rescore through Celery.

`python -m benchmarks scoring[=N]`
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from benchmarks.parts.crowd import fill, make_challenge
from benchmarks.parts.report import Line, Table
from leaderboard.models import ScoringConfig
from leaderboard.sandbox import Outcome, Request, Sandbox, SandboxSettings
from leaderboard.services.challenges.rescores import progress_of
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from scorers.protocol import AttemptMetrics, ScoringContext
from scorers.weighted import WeightedScorer

ENTRYPOINT = "scorers.weighted:WeightedScorer"
BATCH = 100
TIMEOUT_MS = 500
METRICS: AttemptMetrics = {
    "succeeded": True,
    "tokens_total": 1500,
    "elapsed_ms": 12500,
    "rating": 8,
    "created_at": 1_790_000_000_000,
    "cost_usd": None,
    "values": {},
}
CTX: ScoringContext = {
    "tenant_id": "bench",
    "app_id": "",
    "workflow_id": "",
    "challenge_id": "bench",
    "end_user_id": "somebody",
    "timeout_ms": 5000,
}
REQUEST = Request(dict(METRICS), dict(CTX))
HANGING = """
class Hanging:
    def score(self, metrics, config, ctx):
        while True:
            pass


class Swallowing:
    def score(self, metrics, config, ctx):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue


class InC:
    def score(self, metrics, config, ctx):
        return {"score": sum(range(10**12))}


class Good:
    def score(self, metrics, config, ctx):
        return {"score": 1.0}
"""


def run(*, attempts: int = 100_000) -> Table:
    """Return one table; run it on an idle machine. Use few attempts for a trial."""
    calls = min(500, attempts // 20)
    plain = _per_second(_in_process, 200_000)
    lines = [Line("plain calls in process", f"{plain:,.0f} /s", "1")]
    with Sandbox(SandboxSettings()) as sandbox:
        list(sandbox.score(ENTRYPOINT, {}, [REQUEST], timeout_ms=5000, fresh=True))
        for name, way, count in (
            ("a fork per attempt, nothing taken off", _forks, calls),
            ("sandbox, a fresh child per attempt", _sandboxed(sandbox, fresh=True), calls),
            (f"sandbox, batches of {BATCH}", _sandboxed(sandbox, fresh=False), calls * BATCH),
        ):
            rate = max(_per_second(way, count) for _ in range(3))
            lines.append(Line(name, f"{rate:,.0f} /s", f"{rate / plain:.4f}"))
    lines += _kills(min(4, attempts // 2000))
    lines += _celery(attempts)
    return Table(f"Scoring, {attempts:,} attempts rescored", lines)


def _per_second(way: Callable[[int], object], count: int) -> float:
    start = time.perf_counter()
    way(count)
    return count / (time.perf_counter() - start)


def _in_process(count: int) -> None:
    scorer = WeightedScorer()
    for _ in range(count):
        scorer.score(METRICS, {}, CTX)


def _forks(count: int) -> None:
    for _ in range(count):
        child = os.fork()
        if child == 0:
            WeightedScorer().score(METRICS, {}, CTX)
            os._exit(0)
        os.waitpid(child, 0)


def _sandboxed(sandbox: Sandbox, *, fresh: bool) -> Callable[[int], None]:
    def score(count: int) -> None:
        for _ in range(max(count // BATCH, 1)):
            requests = [REQUEST] * min(count, BATCH)
            for outcome in sandbox.score(ENTRYPOINT, {}, requests, timeout_ms=5000, fresh=fresh):
                assert outcome.error is None, outcome

    return score


def _kills(times: int) -> Iterator[Line]:
    """How late a hanging scorer is killed after its deadline, and how long the next score takes."""
    with tempfile.TemporaryDirectory(prefix="podium-plugins-") as folder:
        Path(folder).chmod(0o755)
        package = Path(folder, "hangs")
        package.mkdir()
        (package / "__init__.py").write_text(HANGING)
        settings = SandboxSettings(packages=("hangs",), path=(folder,))
        with Sandbox(settings) as sandbox:
            late, following = [], []
            _timed_score(sandbox, "hangs:Good")
            for name in ("Hanging", "Swallowing", "InC") * times:
                spent, outcome = _timed_score(sandbox, f"hangs:{name}")
                assert outcome.error is not None, outcome
                assert outcome.error.code == "timeout", outcome
                late.append(spent - TIMEOUT_MS)
                spent, outcome = _timed_score(sandbox, "hangs:Good")
                assert outcome.value == 1.0, outcome
                following.append(spent)
    yield Line(f"killed after its {TIMEOUT_MS} ms, how late", _spread(late), f"{len(late)} scorers")
    yield Line("the next good score", _spread(following), "")


def _timed_score(sandbox: Sandbox, entrypoint: str) -> tuple[float, Outcome]:
    start = time.perf_counter()
    (outcome,) = sandbox.score(entrypoint, {}, [REQUEST], timeout_ms=TIMEOUT_MS, fresh=True)
    return (time.perf_counter() - start) * 1000, outcome


def _spread(milliseconds: list[float]) -> str:
    return f"{median(milliseconds):.1f} ms (at most {max(milliseconds):.1f})"


def _celery(attempts: int) -> Iterator[Line]:
    """Rescores, read and scored in batches and stored with standings: in this process, by a
    worker."""
    challenge = make_challenge("Scoring")
    fill(challenge, participants=attempts // 10, attempts=attempts)
    config, _ = start_rescore(challenge)
    start = time.perf_counter()
    work_on(config.pk, seconds=3600)
    alone = attempts / (time.perf_counter() - start)
    yield Line("rescored and stored by this process alone", f"{alone:,.0f} /s", "")
    with _worker():
        config, _ = start_rescore(challenge)
        while not (before := _done(config)):
            time.sleep(0.02)
        start = time.perf_counter()
        while (done := _done(config)) < attempts:
            time.sleep(0.1)
        rate = (done - before) / (time.perf_counter() - start)
    yield Line("rescored and stored through Celery, 2 processes", f"{rate:,.0f} /s", "")


def _done(config: ScoringConfig) -> int:
    config.refresh_from_db()
    return progress_of(config).done


@contextmanager
def _worker() -> Iterator[None]:
    """Run a worker as docs/deploy.md starts it."""
    command = [sys.executable, "-m", "celery", "--app", "leaderboard.celery", "worker"]
    worker = subprocess.Popen([*command, "--concurrency", "2", "--loglevel", "error"])
    try:
        yield
    finally:
        worker.terminate()
        try:
            worker.wait(10)
        except subprocess.TimeoutExpired:
            worker.kill()
