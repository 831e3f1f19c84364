"""The queue: a search in a long queue, history in batches, and how long tenants wait for each
other.

`python -m benchmarks queue[=N]`
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import psycopg
from django.db import connection, transaction

from benchmarks.parts.crowd import fill, make_challenge
from benchmarks.parts.measure import side_by_side
from benchmarks.parts.report import Line, Table
from leaderboard.messages import queue
from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.models.clock import now_sql
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt, submit_many
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from leaderboard.services.scoring.next_claim import find_next
from leaderboard.services.scoring.unfinished import LENGTHS, READY
from tests.plugin_files import folder_with, plugins

TENANTS = 200
ONE_BY_ONE = 40
"""The ratio of attempts scored as history to attempts scored one by one."""
OF_A = 24
SECONDS = 0.3
SLOW = f"""
import time

class Slow:
    def score(self, metrics, config, ctx):
        time.sleep({SECONDS})
        return {{"score": 1.0}}
"""
BULK = 2500


def run(*, attempts: int = 50_000) -> Table:
    """Return one table: searches among that many waiting attempts, and 2/5 of them as history."""
    User.objects.get_or_create(username="bench")
    crowd = make_challenge("Crowd")
    fill(crowd, participants=max(attempts // 50, 10), attempts=2 * attempts)
    waits = make_challenge("Waits")
    fill(waits, participants=max(attempts // 50, 10), attempts=attempts, scored=False)
    with patch.object(queue, "_send", lambda *_: True):
        lines = [*_looks(1), *_looks(TENANTS)]
        Attempt.objects.filter(status="queued").delete()
        lines += [*_history(2 * attempts // 5), *_waits()]
    return Table(f"Queue, {attempts:,} attempts wait ({connection.vendor})", lines)


def _looks(tenants: int) -> Iterator[Line]:
    """A worker's search for the next attempt, against a SELECT of that row for a known tenant."""
    _spread(tenants)
    next_row = find_next("short")
    assert next_row is not None
    # a claim also searches in a transaction; one that only reads waits for no disk
    with transaction.atomic():
        bare, ours = side_by_side(_bare(next_row.tenant), lambda: find_next("short"), rounds=300)
    yield Line(f"next row of a known tenant, bare driver, of {tenants}", str(bare), "1")
    yield Line(f"a look, tenants: {tenants}", str(ours), f"{ours.p50 / bare.p50:.1f}")


def _spread(tenants: int) -> None:
    """Distribute the waiting attempts over that many tenants."""
    made = [
        Tenant.objects.get_or_create(slug=f"bench{number}", defaults={"name": str(number)})[0]
        for number in range(tenants)
    ]
    waiting = list(Attempt.objects.queued().order_by("pk").values_list("pk", flat=True))
    for number, tenant in enumerate(made):
        for at in range(number, len(waiting), tenants * BULK):
            those = waiting[at : at + tenants * BULK : tenants]
            Attempt.objects.filter(pk__in=those).update(tenant=tenant)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")


def _bare(tenant: int) -> Callable[[], object]:
    mark = "?" if connection.vendor == "sqlite" else "%s"
    ready = READY.format(now=now_sql()).replace("%%", "%")
    sql = (
        f"SELECT id FROM leaderboard_attempt WHERE {LENGTHS['short']}"
        f" AND tenant_id = {mark} AND {ready} ORDER BY priority, due_at LIMIT 1"
    )
    connection.ensure_connection()
    driver: Any = connection.connection
    if connection.vendor == "sqlite":
        return lambda: driver.execute(sql, [tenant]).fetchone()
    bare = psycopg.connect(driver.info.dsn, password=driver.info.password, autocommit=True)
    cursor = bare.cursor(binary=True)
    return lambda: cursor.execute(sql, [tenant], prepare=True).fetchone()


def _history(attempts: int) -> Iterator[Line]:
    """Attempts scored by one process: as history, as one participant's bulk, and one by one."""
    few = max(attempts // ONE_BY_ONE, 20)
    alone = _scored("One by one", few)
    yield Line(f"scored one by one, {few:,}", f"{few / alone:,.0f} /s", "1")
    for name, number, spent in (
        ("a participant's bulk", 10 * few, _scored("Bulk", 10 * few, participants=1)),
        ("history", attempts, _scored("History", attempts, organiser=True)),
    ):
        ratio = number / spent * alone / few
        what = f"{name} in batches, {number:,}: {spent:.1f} s"
        yield Line(what, f"{number / spent:,.0f} /s", f"{ratio:.0f} ×")


def _scored(
    name: str, attempts: int, *, participants: int = 5000, organiser: bool = False
) -> float:
    """Return the seconds until all are scored."""
    challenge = make_challenge(name)
    facts = {"succeeded": True, "tokens_total": 1500, "elapsed_ms": 12500, "rating": 8.5}
    news = [NewAttempt(f"h{at % participants}", facts) for at in range(attempts)]
    user = User.objects.get(username="bench")
    submit_many(challenge=challenge, user=user, news=news, organiser=organiser)
    start = time.perf_counter()
    while single.score_waiting():
        pass
    spent = time.perf_counter() - start
    assert challenge.attempts.filter(status="scored").count() == attempts
    return spent


def _waits() -> Iterator[Line]:
    """A tenant has submitted many attempts, and another tenant submits a single one."""
    with folder_with({"slow/scorer.py": SLOW}) as folder, plugins(folder, "slow"):
        yield from _waited("bulk", organiser=False)
        yield from _waited("history", organiser=True)


def _waited(name: str, *, organiser: bool) -> Iterator[Line]:
    user = User.objects.get(username="bench")
    busy, quiet = _slow(f"busy {name}"), _slow(f"single {name}")
    news = [NewAttempt(f"a{at}", {"elapsed_ms": at}) for at in range(OF_A)]
    submit_many(challenge=busy, user=user, news=news, organiser=organiser)
    for at in range(2):  # the first one makes its tenant the one that was served last
        before = busy.attempts.filter(status="scored").count()
        new = NewAttempt("b", {"elapsed_ms": at})
        own, _ = submit_attempt(challenge=quiet, user=user, new=new)
        while not quiet.attempts.filter(pk=own.pk, status="scored").exists():
            assert single.score_next()
    waited = busy.attempts.filter(status="scored").count() - before
    what = f"of {OF_A} by another tenant ({name}, {SECONDS} s each), scored before a single one"
    yield Line(what, f"{waited}", "")


def _slow(name: str) -> Challenge:
    """Make a challenge with a slow scorer, in a tenant of its own."""
    tenant = Tenant.objects.create(slug=name.replace(" ", "-"), name=name)
    fields = {"name": name, "scoring_strategy": "custom", "scoring_entrypoint": "slow.scorer:Slow"}
    return create_challenge(tenant=tenant, user=None, fields=fields)
