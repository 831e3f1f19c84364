"""Prepared statements: their results, and their reaction to a server that has gone."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from leaderboard.models.prepared import fetch

on_postgresql = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite has no server and no prepared statements"
)


@pytest.mark.django_db
@pytest.mark.parametrize("prepared", [True, False])
def test_rows_equal_those_of_the_driver(settings: Any, prepared: bool) -> None:
    settings.PREPARED_STATEMENTS = prepared
    with CaptureQueriesContext(connection) as queries:
        assert fetch("SELECT %s + 1, 'a'", [41]) == [(42, "a")]
    assert len(queries) == 1


@pytest.mark.django_db
def test_a_wrong_statement_is_an_error_of_django() -> None:
    with pytest.raises(DatabaseError):
        fetch("SELECT nothing FROM nowhere", [])


@on_postgresql
@pytest.mark.django_db(transaction=True)
class TestConnections:
    def test_a_statement_is_prepared_once(self) -> None:
        for number in range(3):
            assert fetch("SELECT %s::int AS prepared_once", [number]) == [(number,)]
        sql = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s"
        with connection.cursor() as cursor:
            cursor.execute(sql, ["%prepared_once%"])
            assert cursor.fetchone() == (1,)

    def test_a_closed_connection_is_opened_again(self) -> None:
        (ended,) = fetch("SELECT pg_backend_pid()", [])
        connection.connection.close()
        (other,) = fetch("SELECT pg_backend_pid()", [])
        assert other != ended

    def test_a_closed_connection_is_not_opened_again_in_a_transaction(self) -> None:
        def ended_half_way() -> None:
            with transaction.atomic():
                fetch("SELECT 1", [])
                connection.connection.close()
                fetch("SELECT 1", [])

        with pytest.raises(DatabaseError):
            ended_half_way()
        connection.close()
