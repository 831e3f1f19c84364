"""Results cannot be saved: another session holds a lock, or the database refuses each save."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from tests.faults.world import World, token_of
from tests.processes import Site, eventually

LOCKED_SECONDS = 20.0
REFUSED_SECONDS = 25.0
LOCK = "SELECT 1 FROM leaderboard_challenge WHERE slug = %s FOR NO KEY UPDATE"
REFUSING = """
    CREATE FUNCTION refusing() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '{state}'; END $$;
"""
TRIGGER = "CREATE TRIGGER refusing BEFORE {} ON {} FOR EACH ROW EXECUTE FUNCTION refusing();"


def test_another_session_locks_a_board(world: World) -> None:
    """The attempts of others are scored within five seconds, and operators see who holds it."""
    locked = world.challenge("Locked", seconds=0.02)
    other_world = World(world.stack, token_of(world.stack, "harbour"))
    free = other_world.challenge("Free", seconds=0.02)
    began = time.monotonic()
    with psycopg.connect(world.stack.environment["DATABASE_URL"]) as silent:
        silent.execute(LOCK, [locked])
        for _ in range(4):
            world.submit(locked)
        for _ in range(3):
            sent = [str(other_world.submit(free)) for _ in range(5)]
            at = time.monotonic()
            eventually(
                lambda: all(
                    other_world.site.attempt(attempt)["status"] == "scored"
                    for attempt in sent  # noqa: B023
                )
            )
            print(f"others were scored after {time.monotonic() - at:.1f} s")
        eventually(lambda: _holders(world) == [(locked, silent.info.backend_pid)])
        assert world.site.ask("GET", "/status.json").json["state"] == "delayed"
        time.sleep(max(0.0, began + LOCKED_SECONDS - time.monotonic()))
        assert world.waiting() == 4
    world.check_everything_ended("another session locks a board")
    other_world.check_everything_ended("another session locks a board")
    eventually(lambda: not _holders(world))


@pytest.mark.parametrize(
    ("fault", "state", "statements"),
    [
        ("each save of a result fails", "P0001", [("INSERT", "leaderboard_score")]),
        (
            "tables full",
            "53100",
            [("INSERT OR UPDATE", "leaderboard_score"), ("UPDATE", "leaderboard_attempt")],
        ),
    ],
)
def test_results_are_refused(
    world: World, fault: str, state: str, statements: list[tuple[str, str]]
) -> None:
    slug = world.challenge(fault, seconds=0.02)
    with world.clients(slug, count=2) as sent:
        eventually(lambda: len(sent) > 10)
        with _refused(world, state, statements):
            time.sleep(REFUSED_SECONDS)
        sent_before = len(sent)
        eventually(lambda: len(sent) > sent_before + 10)
    world.check_everything_ended(fault)
    assert world.stack.rows(
        "SELECT count(*) FROM leaderboard_score WHERE error_code = 'worker_lost'"
    ) == [(0,)]


@contextmanager
def _refused(world: World, state: str, statements: list[tuple[str, str]]) -> Iterator[None]:
    with psycopg.connect(world.stack.environment["DATABASE_URL"], autocommit=True) as connection:
        connection.execute(REFUSING.format(state=state))
        for statement in statements:
            connection.execute(TRIGGER.format(*statement))
        try:
            yield
        finally:
            connection.execute("DROP FUNCTION refusing CASCADE")


def _holders(world: World) -> list[tuple[str, int]]:
    """The challenges whose results cannot be saved, and the sessions that hold their locks."""
    site = Site(world.stack.site.port, world.stack.environment["PROMETHEUS_TOKEN"])
    blocked = site.ask("GET", "/status.json").json["blocked"]
    return [(entry["challenge"], holder["pid"]) for entry in blocked for holder in entry["holders"]]
