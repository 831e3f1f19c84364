"""A soak: what the web server and the workers hold in memory after many attempts.

`python -m benchmarks soak[=N]`, where N is how many attempts are sent: 100 000 if not given, for
which it takes hours.

Gunicorn with two processes and a Celery worker with two run on PostgreSQL and Redis. Attempts have
facts, samples and outputs for text metrics in turns; readers open boards and lists of plugins
beside them. Memory is the proportional set size of all processes of a program, sandboxes included:
shared pages count once. The baseline of each figure is what was held after the first tenth.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from django.conf import settings

from benchmarks.parts.report import Line, Table
from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.plugins.sandboxes import IDLE_SECONDS
from leaderboard.services.tokens import create_token
from tests.processes import ROOT, Process, Site, eventually, family, running
from tests.servers import free_port

PARTICIPANTS: Final = 500
CONNECTIONS: Final = 4
AT_REST_SECONDS: Final = float(os.environ.get("SOAK_REST", IDLE_SECONDS + 90.0))
"""How long nothing is sent before the last figure is taken."""
MIB: Final = 1 << 20

CHALLENGES: Final = {
    "facts": {
        "scoring_strategy": "custom",
        "scoring_entrypoint": "scorers.weighted:WeightedScorer",
    },
    "samples": {
        "scoring_strategy": "metric",
        "metrics": ["mean"],
        "tasks": [{"name": f"t{task}"} for task in range(40)],
        "rank_by": [{"key": "mean", "direction": "desc"}],
    },
    "texts": {
        "scoring_strategy": "metric",
        "text_metrics": ["F1", "EXACT_MATCH"],
        "rank_by": [{"key": "F1", "direction": "desc"}],
    },
}


class Held(NamedTuple):
    """The memory of the web server and of the workers, in bytes, and how many processes."""

    web: int
    workers: int
    processes: int


def run(*, attempts: int = 100_000) -> Table:
    token = _prepared()
    with _servers() as (site, web, worker):
        site.headers["Authorization"] = f"Bearer {token}"
        _send(site, 0, attempts // 10)
        first = _held(web, worker)
        _send(site, attempts // 10, attempts)
        last = _held(web, worker)
        time.sleep(AT_REST_SECONDS)
        at_rest = _held(web, worker)
    _check()
    return Table(
        f"A soak of {attempts:,} attempts",
        [
            *_lines("after a tenth", first, first),
            *_lines("after all", last, first),
            *_lines("at rest", at_rest, first),
        ],
    )


def _prepared() -> str:
    """Challenges of each kind; the token of an organiser."""
    tenant = Tenant.objects.create(slug="bench", name="Bench")
    user = User.objects.create_user("olivia", is_superuser=True)
    for name, fields in CHALLENGES.items():
        create_challenge(tenant=tenant, user=user, fields={"name": name, **fields})
    return create_token(user=user, scopes=["submit", "organise"], tenant=tenant)[1]


@contextmanager
def _servers() -> Iterator[tuple[Site, Process, Process]]:
    port, folder = free_port(), Path(settings.DATA_DIR)
    environment = {**os.environ, "PORT": str(port), "WEB_CONCURRENCY": "2"}
    environment |= {"THROTTLE_PAGES": "off", "THROTTLE_MIB": "off"}
    web = [sys.executable, "-m", "gunicorn", "leaderboard.wsgi"]
    worker = [sys.executable, "-m", "celery", "--app", "leaderboard.celery", "worker"]
    worker += ["--concurrency=2", "--loglevel=warning"]
    site = Site(port)
    with (
        running(web, environment, folder / "web.log", cwd=ROOT) as server,
        running(worker, environment, folder / "worker.log", cwd=ROOT) as workers,
    ):
        eventually(lambda: _is_up(site), within=60)
        yield site, server, workers


def _is_up(site: Site) -> bool:
    try:
        return site.ask("GET", "/healthz").status == 200
    except OSError:
        return False


def _send(site: Site, first: int, end: int) -> None:
    """Send attempts over a few connections, with readers between them, and wait for scores."""

    def sent(start: int) -> None:
        own = Site(site.port)
        own.headers |= site.headers
        for number in range(start, end, CONNECTIONS):
            _submit(own, number)
            if number % 10 == 0:
                _read(own, number)

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(sent, range(first, first + CONNECTIONS)))
    eventually(lambda: not Attempt.objects.unfinished().exists(), every=0.5, within=3600)


def _submit(site: Site, number: int) -> None:
    name = [*CHALLENGES][number % len(CHALLENGES)]
    who = f"p{number % PARTICIPANTS}"
    body = {"participant": who, **_evidence(name, number)}
    answer = site.ask("POST", f"/api/v1/challenges/{name}/attempts/", body)
    assert answer.status == 202, answer


def _evidence(name: str, number: int) -> dict[str, object]:
    if name == "facts":
        return {"metrics": {"succeeded": True, "elapsed_ms": number + 1, "tokens_total": 300}}
    if name == "samples":
        return {
            "samples": [
                {"task": f"t{task}", "sample": sample, "rewards": {"reward": number * task % 7 / 7}}
                for task in range(40)
                for sample in range(3)
            ]
        }
    instances = [
        {
            "id": str(at),
            "actual-output": f"the answer to {at} is {number % 9}",
            "expected-output": f"the answer is {at % 9}",
        }
        for at in range(30)
    ]
    return {"evaluation": {"instances": instances, "metrics": []}}


def _read(site: Site, number: int) -> None:
    """Read a board, its page, a page of an attempt, and now and then the plugins."""
    name = [*CHALLENGES][number // 10 % len(CHALLENGES)]
    paths = [f"/api/v1/challenges/{name}/leaderboard/", f"/c/{name}/"]
    if number % 100 == 0:
        paths += [f"/c/{name}/?page=2", "/plugins/", f"/c/{name}/analysis/", "/status.json"]
    for path in paths:
        site.ask("GET", path)


def _held(web: Process, worker: Process) -> Held:
    members = [family(process.pid) for process in (web, worker)]
    sizes = [sum(_pss(member.pid) for member in those) for those in members]
    return Held(*sizes, sum(map(len, members)))


def _pss(pid: int) -> int:
    """The proportional set size of a process, in bytes; 0 if it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def _check() -> None:
    """Compare what is stored with what was sent. Raises AssertionError."""
    ended = set(Attempt.objects.values_list("status", flat=True))
    assert ended == {"scored"}, ended
    for challenge in Challenge.objects.all():
        assert verify_standings(challenge) == [], challenge.slug


def _lines(when: str, held: Held, first: Held) -> list[Line]:
    return [
        _line(f"web, {when}, MiB", held.web / MIB, first.web / MIB),
        _line(f"workers, {when}, MiB", held.workers / MIB, first.workers / MIB),
        _line(f"processes, {when}", held.processes, first.processes),
    ]


def _line(what: str, figure: float, before: float) -> Line:
    return Line(what, f"{figure:,.0f}", f"{figure / before:.2f}")
