"""Streamed rows: all of them, errors, and what else may run on the connection."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, connection

from leaderboard.models.prepared import fetch
from leaderboard.models.streams import ROWS_PER_READ, streamed

NUMBERS = """
    WITH RECURSIVE numbers(n) AS (SELECT %s + 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < %s)
    SELECT n FROM numbers"""

on_postgresql = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite runs statements between the rows of another"
)


@pytest.mark.django_db
def test_all_rows_are_read() -> None:
    most = 2 * ROWS_PER_READ + 1
    with streamed(NUMBERS, [1, most]) as rows:
        assert [n for (n,) in rows] == list(range(1, most + 1))


@pytest.mark.django_db
def test_a_wrong_statement_is_an_error_of_django() -> None:
    with pytest.raises(DatabaseError), streamed("SELECT nothing FROM nowhere", []) as rows:
        next(rows)


@pytest.mark.django_db(transaction=True)
def test_the_connection_is_free_after_some_of_the_rows() -> None:
    with streamed(NUMBERS, [1, 100_000]) as rows:
        assert next(rows) == (1,)
    assert fetch("SELECT 1", []) == [(1,)]


@on_postgresql
@pytest.mark.django_db
def test_another_statement_is_refused_between_the_rows() -> None:
    with streamed(NUMBERS, [1, 2 * ROWS_PER_READ]) as rows:
        next(rows)
        with pytest.raises(RuntimeError, match="while rows are streamed"):
            fetch("SELECT 1", [])
        assert len(list(rows)) == 2 * ROWS_PER_READ - 1
        assert fetch("SELECT 1", []) == [(1,)]
