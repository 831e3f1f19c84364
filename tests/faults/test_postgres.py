"""PostgreSQL is down, hangs, restarts, closes its connections, or has none left."""

import time
from contextlib import ExitStack

import psycopg

from tests.faults.world import World
from tests.processes import eventually
from tests.servers import hanging_postgres, restart_postgres, without_postgres

AWAY_SECONDS = 30.0

USED_UP_SECONDS = 5.0

CUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
)
CUT_OTHERS = CUT + " AND pid <> ALL(%s)"


def test_postgres_is_down(world: World) -> None:
    slug = world.challenge("PostgreSQL away", seconds=0.02)
    with world.clients(slug) as sent:
        eventually(lambda: len(sent) > 10)
        with without_postgres(world.stack.environment["DATABASE_URL"]):
            time.sleep(AWAY_SECONDS)
        sent_before = len(sent)
        eventually(lambda: len(sent) > sent_before + 10)
    world.check_everything_ended("PostgreSQL away for 30 s")


def test_postgres_hangs(world: World) -> None:
    slug = world.challenge("PostgreSQL hangs", seconds=0.02)
    with world.clients(slug) as sent:
        eventually(lambda: len(sent) > 10)
        with hanging_postgres(world.stack.environment["DATABASE_URL"]):
            until = time.monotonic() + AWAY_SECONDS
            assert world.site.ask("GET", "/readyz").status == 503  # while it still hangs
            time.sleep(max(0.0, until - time.monotonic()))
        sent_before = len(sent)
        eventually(lambda: len(sent) > sent_before + 10)
    world.check_everything_ended("PostgreSQL stopped (SIGSTOP)")


def test_postgres_restarts(world: World) -> None:
    slug = world.challenge("PostgreSQL restarted", seconds=0.02)
    with world.clients(slug) as sent:
        for _ in range(2):
            sent_before = len(sent)
            eventually(lambda: len(sent) > sent_before + 10)  # noqa: B023
            restart_postgres(world.stack.environment["DATABASE_URL"])
    world.check_everything_ended("PostgreSQL restarted")


def test_postgres_closes_its_connections(world: World) -> None:
    slug = world.challenge("Connections cut", seconds=0.02)
    with world.clients(slug) as sent:
        for _ in range(5):
            sent_before = len(sent)
            eventually(lambda: len(sent) > sent_before + 5)  # noqa: B023
            world.stack.rows(CUT)
    world.check_everything_ended("connections cut")


def test_postgres_has_no_free_connections(world: World) -> None:
    slug = world.challenge("Connections used up", seconds=0.02)
    url = world.stack.environment["DATABASE_URL"]
    with world.clients(slug) as sent:
        eventually(lambda: len(sent) > 10)
        with ExitStack() as held:
            own = [held.enter_context(psycopg.connect(url))]
            until = time.monotonic() + USED_UP_SECONDS
            while time.monotonic() < until:
                try:
                    own.append(held.enter_context(psycopg.connect(url)))
                except psycopg.OperationalError:
                    # the product's connections are closed too, so that it has to open new ones
                    own[0].execute(
                        CUT_OTHERS, [[connection.info.backend_pid for connection in own]]
                    )
                    own[0].commit()
        sent_before = len(sent)
        eventually(lambda: len(sent) > sent_before + 10)
    world.check_everything_ended("connections used up")
