"""PostgreSQL is away for half a minute, starts again, cuts its connections, has none left."""

import time
from contextlib import ExitStack

import psycopg

from tests.faults.world import World
from tests.processes import eventually
from tests.servers import restart_postgres, without_postgres

AWAY_SECONDS = 30.0

USED_UP_SECONDS = 5.0

CUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
)
CUT_OTHERS = CUT + " AND pid <> ALL(%s)"


def test_away(world: World) -> None:
    slug = world.challenge("PostgreSQL away", seconds=0.02)
    with world.clients(slug) as sent:
        eventually(lambda: len(sent) > 10)
        with without_postgres(world.stack.environment["DATABASE_URL"]):
            time.sleep(AWAY_SECONDS)
        seen = len(sent)
        eventually(lambda: len(sent) > seen + 10)
    world.settles("PostgreSQL away for 30 s")


def test_restarted(world: World) -> None:
    slug = world.challenge("PostgreSQL restarted", seconds=0.02)
    with world.clients(slug) as sent:
        for _ in range(2):
            seen = len(sent)
            eventually(lambda: len(sent) > seen + 10)  # noqa: B023
            restart_postgres(world.stack.environment["DATABASE_URL"])
    world.settles("PostgreSQL restarted")


def test_connections_cut(world: World) -> None:
    slug = world.challenge("Connections cut", seconds=0.02)
    with world.clients(slug) as sent:
        for _ in range(5):
            seen = len(sent)
            eventually(lambda: len(sent) > seen + 5)  # noqa: B023
            world.stack.rows(CUT)
    world.settles("connections cut")


def test_connections_used_up(world: World) -> None:
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
                    # What the product holds is cut too, so that it has to ask for new ones.
                    own[0].execute(CUT_OTHERS, [[each.info.backend_pid for each in own]])
                    own[0].commit()
        seen = len(sent)
        eventually(lambda: len(sent) > seen + 10)
    world.settles("connections used up")
