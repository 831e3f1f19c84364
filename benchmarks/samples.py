"""Attempts with samples, from the request to the score, on a server started by `up`.

`python -m benchmarks samples[=N]`, where N is how many attempts of 10 000 samples are
sent to see whether the server's memory grows.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

from benchmarks.parts.report import Line, Table
from benchmarks.parts.server import embedded_server
from leaderboard.models import Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.tokens import create_token
from tests.processes import Site, family

PER_TASK = 8
WARM = 3
METRICS = ["pass@1", "mean_reward", "pass_rate", "mean"]


def run(*, attempts: int = 100) -> Table:
    """Return one table for the embedded server on SQLite."""
    slug, token = _prepared()
    with embedded_server(token) as (site, pid):
        _sent(site, slug, 10_000)
        lines = [_line(site, slug, size) for size in (10_000, 100_000)]
        for _ in range(WARM):
            _sent(site, slug, 10_000)
        before = _resident(pid)
        for _ in range(attempts):
            _sent(site, slug, 10_000)
        after = _resident(pid)
    lines.append(
        Line(
            f"memory over {attempts} attempts of 10,000 samples",
            f"{before:,.0f} MiB, then {after:,.0f} MiB",
            f"{after / before:.2f}",
        )
    )
    return Table(f"Samples over HTTP, {len(METRICS)} metrics", lines)


def _prepared() -> tuple[str, str]:
    """Return the slug of a new challenge with metrics, and a token that may submit to it."""
    tenant = Tenant.objects.create(slug="bench", name="Bench")
    user = User.objects.create_user("bench")
    fields: dict[str, object] = {
        "name": "Samples",
        "scoring_strategy": "metric",
        "metrics": METRICS,
        "rank_by": [{"key": "pass@1", "direction": "desc"}],
    }
    challenge = create_challenge(tenant=tenant, user=user, fields=fields)
    return challenge.slug, create_token(user=user, scopes=["submit"])[1]


def _line(site: Site, slug: str, size: int) -> Line:
    taken, scored = _sent(site, slug, size)
    return Line(
        f"an attempt of {size:,} samples, scored",
        f"{taken + scored:.2f} s",
        f"{taken:.2f} s until the 202",
    )


def _sent(site: Site, slug: str, size: int) -> tuple[float, float]:
    """Return the seconds until an attempt was accepted, and from there until it was scored."""
    dice = random.Random(size)
    samples = [
        {
            "task": f"task-{number // PER_TASK}",
            "sample": number % PER_TASK,
            "rewards": {"reward": dice.choice((0.0, 0.5, 1.0))},
        }
        for number in range(size)
    ]
    body = {"participant": "bench", "samples": samples}
    start = time.perf_counter()
    answer = site.ask("POST", f"/api/v1/challenges/{slug}/attempts/", body)
    assert answer.status == 202, answer
    taken = time.perf_counter()
    attempt = site.ended(answer.json["id"])
    assert attempt["status"] == "scored", attempt
    return taken - start, time.perf_counter() - taken


def _resident(pid: int) -> float:
    """Return the resident MiB of a process and of all its descendants."""
    pages = [
        int(Path(f"/proc/{member.pid}/statm").read_text().split()[1]) for member in family(pid)
    ]
    return sum(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20
