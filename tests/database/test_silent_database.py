"""A statement fails when PostgreSQL hangs, and not when it only takes long."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler, OperationalError

from leaderboard.database import silent_database
from leaderboard.environment.database_url import database_config
from leaderboard.operating.outages import database_is_away
from tests.servers import hanging_postgres, running_postgres

pytestmark = [pytest.mark.once, pytest.mark.django_db]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running_postgres(durable=False) as running_url:
        yield running_url


@pytest.fixture
def opened(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[BaseDatabaseWrapper]:
    """An open connection, whose server is asked after 0.3 s and has to answer within a minute."""
    monkeypatch.setattr(silent_database, "ASKED_AFTER", 0.3)
    entry = database_config(url)
    entry["OPTIONS"] = entry.get("OPTIONS", {}) | {"connect_timeout": 60}
    connection = ConnectionHandler({"default": entry})["default"]
    connection.ensure_connection()
    yield connection
    connection.close()


def first_row(connection: BaseDatabaseWrapper, sql: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()


def test_a_statement_fails_while_the_server_hangs(url: str, opened: BaseDatabaseWrapper) -> None:
    opened.settings_dict["OPTIONS"]["connect_timeout"] = 2
    hangs = pytest.raises(OperationalError, match="hangs")
    with hanging_postgres(url), hangs as caught:
        first_row(opened, "SELECT 1")
    assert database_is_away(caught.value)
    opened.close_if_unusable_or_obsolete()
    assert first_row(opened, "SELECT 1") == (1,)


def test_a_long_statement_of_a_server_that_answers_ends(opened: BaseDatabaseWrapper) -> None:
    assert first_row(opened, "SELECT 1 FROM pg_sleep(1.5)") == (1,)


def test_a_server_that_refuses_another_connection_does_not_hang(
    url: str, opened: BaseDatabaseWrapper
) -> None:
    with opened.cursor() as cursor:
        cursor.execute("CREATE ROLE crowded LOGIN CONNECTION LIMIT 0")
    opened.settings_dict["USER"] = "crowded"
    assert first_row(opened, "SELECT 1 FROM pg_sleep(1)") == (1,)
