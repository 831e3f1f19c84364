"""Edits under load, attempts that kill or block their scorer, and attempts of other tenants."""

import json
import re
import signal

import pytest

from tests.faults import parts
from tests.faults.world import PARTICIPANTS, World, token_of
from tests.processes import Member, Site, eventually

EDITS = 10
SLOTS = 2
WAITING = 50_000
LINES = 10_000


def test_ten_edits_with_rescores(world: World) -> None:
    slug = world.challenge("Edits", bonus=0.0)
    path = f"/api/v1/challenges/{slug}/"
    with world.clients(slug) as sent:
        for edit in range(EDITS):
            sent_before = len(sent)
            eventually(lambda: len(sent) > sent_before + 3)  # noqa: B023
            config = {"bonus": float(edit + 1)}
            assert world.site.ask("PATCH", path, {"scoring_config": config}).status == 200
            assert world.site.ask("POST", f"{path}rescore/", {}).status in (202, 409)
    world.challenges[slug] = {"bonus": float(EDITS)}
    board = f"/challenges/{slug}/leaderboard/"
    eventually(lambda: world.site.get(board)["scoring_version"] == EDITS + 1)
    world.check_everything_ended("ten edits of the config with rescores")


def test_poison_among_good(world: World) -> None:
    slug = world.challenge("Poison", "Poison", timeout_ms=2000, poison=True)
    for _ in range(20):
        world.submit(slug)
    world.check_everything_ended("poison among good attempts")


def test_late_results(world: World) -> None:
    """A worker is stopped while it scores; another one scores the attempt; the first continues."""
    slug = world.challenge("Late", timeout_ms=20_000, seconds=1.0)
    stack = world.stack
    before = leases_lost(world)
    attempt, stopped = stopped_while_scoring(world, slug)
    stack.expire("attempt")
    try:
        with stack.second_worker():
            eventually(lambda: stack.site.attempt(attempt)["status"] == "scored")
    finally:
        for member in stopped:
            parts.send(member, signal.SIGCONT)
    world.submit(slug)
    world.check_everything_ended("late results")
    eventually(lambda: leases_lost(world) > before)


def test_slow_scorers_of_another_tenant(world: World) -> None:
    slug = world.challenge("Quick")
    harbour = neighbour(world)
    slow = harbour.challenge("Slow", timeout_ms=20_000, seconds=1.5)
    for _ in range(12):
        harbour.submit(slow)
    eventually(lambda: harbour.stack.rows(STATUS, slow, "scoring") == [(SLOTS,)])
    attempt = str(world.submit(slug))
    eventually(lambda: world.site.attempt(attempt)["status"] == "scored")
    [(overtaken,)] = world.stack.rows(OVERTAKEN, slow, attempt)
    print(f"{overtaken} of theirs came first")
    assert overtaken <= 2 * SLOTS, "one of the other tenant's for each slot, and those under way"
    world.check_everything_ended("slow scorers of another tenant")
    harbour.check_everything_ended("slow scorers of another tenant")


def test_fifty_thousand_attempts_wait(world: World) -> None:
    slug = world.challenge("One of one")
    harbour = neighbour(world)
    crowd = harbour.challenge("Crowd")
    world.stack.stop("worker")
    line = {"metrics": {"elapsed_ms": 1}}
    for start in range(0, WAITING, LINES):
        numbers = range(start, start + LINES)
        lines = [json.dumps({"participant": f"p{n % PARTICIPANTS}", **line}) for n in numbers]
        harbour.site.submit_lines(crowd, lines)
    world.stack.start("worker")
    attempt = str(world.submit(slug))
    eventually(lambda: world.site.attempt(attempt)["status"] == "scored")
    print(f"{ended(harbour, crowd)} of theirs came first")
    world.check_everything_ended("50 000 attempts of another tenant wait")
    # The other attempts are deleted: scoring them would prove no more, and take minutes.
    world.stack.stop("worker")
    world.stack.manage("shell", "-v0", "-c", FORGET.format(slug=crowd))
    world.stack.start("worker")


STATUS = (
    "SELECT count(*) FROM leaderboard_attempt a JOIN leaderboard_challenge c"
    " ON c.id = a.challenge_id WHERE c.slug = %s AND a.status = %s"
)
"""Counts the attempts at a challenge that have a status."""
OVERTAKEN = (
    "SELECT count(*) FROM leaderboard_attempt a JOIN leaderboard_challenge c"
    " ON c.id = a.challenge_id JOIN leaderboard_attempt other"
    " ON a.finished_at BETWEEN other.submitted_at AND other.finished_at"
    " WHERE c.slug = %s AND other.id = %s"
)
"""Counts the attempts at a challenge that ended while another attempt waited or was scored."""
UNLOCKED = (
    "SELECT id FROM leaderboard_attempt WHERE id = %s AND status = 'scoring' FOR UPDATE SKIP LOCKED"
)
"""Finds an attempt that is being scored, unless a transaction has locked it."""
FORGET = (
    "from leaderboard.models import Attempt;"
    " Attempt.objects.filter(challenge__slug='{slug}', status='queued').delete()"
)


def stopped_while_scoring(world: World, slug: str) -> tuple[str, set[Member]]:
    """Stop the worker's processes while they score; returns the attempt and the processes.

    This may need several attempts: on a busy machine one may end before its worker is stopped, or
    the worker is stopped in a transaction, so that the claim cannot expire.
    """
    while True:
        members = parts.pool(world.stack, "worker")
        attempt = str(world.submit(slug))
        eventually(lambda: world.site.attempt(attempt)["status"] != "queued")  # noqa: B023
        for member in members:
            parts.send(member, signal.SIGSTOP)
        if world.stack.rows(UNLOCKED, attempt):
            return attempt, members
        for member in members:
            parts.send(member, signal.SIGCONT)


def leases_lost(world: World) -> float:
    """Return how many claims have expired, according to the metrics."""
    page = Site(world.stack.site.port, "counted").page("/metrics")
    return sum(map(float, re.findall(r"^podium_leases_lost_total(?:\{.*\})? (\S+)$", page, re.M)))


def ended(world: World, challenge: str) -> int:
    [(count,)] = world.stack.rows(STATUS, challenge, "scored")
    return int(count)


def neighbour(world: World) -> World:
    """Return the same installation as another tenant sees it."""
    return World(world.stack, token_of(world.stack, "harbour"))


@pytest.fixture(autouse=True)
def _site(world: World) -> Site:
    """The stack's own requests use the token of an organiser."""
    world.stack.site = world.site
    return world.site
