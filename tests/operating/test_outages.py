"""An outage is one log line at its start and one at its end, however often it is noticed."""

from __future__ import annotations

import errno
import logging
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any

import psycopg
import pytest
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.backends.signals import connection_created
from django.db.utils import (
    ConnectionHandler,
    DatabaseError,
    InterfaceError,
    InternalError,
    OperationalError,
)

from leaderboard.operating import outages
from leaderboard.operating.logs import OnlyFailures, WithoutOutages, without_outages
from leaderboard.operating.outages import Outage, database_is_away, disk_is_full

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("database", "broker"):
        monkeypatch.setattr(outages, name, Outage(name))
    monkeypatch.setattr(outages, "disk", Outage("disk", fails="is full"))


def raised(error: Exception, cause: BaseException | None = None) -> Exception:
    """Return the error as Django raises it, caused by an error of the driver."""
    try:
        raise error from cause
    except type(error) as caught:
        return caught


def of_postgres(state: str) -> Exception:
    return raised(OperationalError("…"), psycopg.errors.lookup(state)("…"))


def of_sqlite(statement: str, file: Path | str) -> Exception:
    try:
        sqlite3.connect(file).execute(statement)
    except sqlite3.OperationalError as cause:
        return raised(OperationalError(str(cause)), cause)
    raise AssertionError(statement)


def record(logger: str, message: str, *args: Any, error: Exception | None = None) -> Any:
    info: tuple[type[BaseException], BaseException, TracebackType | None] | None = None
    if error is not None:
        info = (type(error), error, error.__traceback__)
    return logging.LogRecord(logger, logging.ERROR, __file__, 1, message, args, info)


def test_an_outage_has_one_line_at_its_start_and_one_at_its_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    outage = Outage("teapot")
    outage.ended()
    for number in range(3):
        outage.began(f"refused {number}\nand a second line")
    assert outage.goes_on
    outage.ended()
    outage.ended()
    first, last = [log_record.getMessage() for log_record in caplog.records]
    assert first.endswith(": refused 0")
    assert re.search(r"teapot .* after \d+\.\d s", last)
    outage.began(OSError())
    assert caplog.records[-1].getMessage().endswith(": OSError")


def test_a_disk_that_refused_nothing_lately_does_not_count_as_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A web process that gets no forms would never learn that its disk has space again."""
    now = 1000.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    disk = Outage("disk", quiet=30.0)
    assert not disk.was_seen_within(600)
    disk.began("full")
    now += 599
    assert disk.was_seen_within(600)
    now += 2
    assert not disk.was_seen_within(600)
    assert disk.goes_on
    disk.ended()
    assert not disk.was_seen_within(10_000)


def test_a_disk_that_sometimes_fails_is_one_outage(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("leaderboard.operating.outages.time.monotonic", lambda: now[0])
    disk = Outage("disk", quiet=30.0)
    for _ in range(3):
        disk.began("no space left")
        now[0] += 29
        disk.ended()
    assert len(caplog.records) == 1
    now[0] += 1
    disk.ended()
    assert "after 88.0 s" in caplog.records[-1].getMessage()


def test_an_unreachable_postgresql_is_an_outage() -> None:
    cases: list[str] = ["08006", "57P01", "57P03", "53300", "28P01", "3D000"]
    for state in cases:
        assert database_is_away(of_postgres(state)), state


def test_a_postgresql_that_takes_no_writes_is_an_outage() -> None:
    """Another server has replaced it. Its error is none of Django's OperationalErrors."""
    assert database_is_away(raised(InternalError("…"), psycopg.errors.ReadOnlySqlTransaction("…")))


def test_a_refused_statement_is_no_outage() -> None:
    cases: list[str] = ["40P01", "57014", "55P03", "53100"]
    for state in cases:
        assert not database_is_away(of_postgres(state)), state


def test_a_lost_connection_is_an_outage_and_a_wrong_statement_is_none(tmp_path: Path) -> None:
    assert database_is_away(raised(OperationalError("no answer"), psycopg.OperationalError("…")))
    assert database_is_away(InterfaceError("the connection is closed"))
    assert database_is_away(of_sqlite("SELECT 1", tmp_path / "missing" / "db"))
    assert not database_is_away(of_sqlite("SELECT * FROM missing", ":memory:"))
    assert not database_is_away(DatabaseError("wrong"))
    assert not database_is_away(None)


def test_a_full_disk_is_recognised(tmp_path: Path) -> None:
    file = tmp_path / "db.sqlite3"
    fill = "CREATE TABLE full AS SELECT randomblob(200000) AS bytes"
    with sqlite3.connect(file) as opened:
        opened.execute("PRAGMA max_page_count=4")
        with pytest.raises(sqlite3.OperationalError) as caught:
            opened.execute(fill)
    assert disk_is_full(raised(OperationalError("…"), caught.value))
    assert disk_is_full(of_postgres("53100"))
    assert disk_is_full(OSError(28, "No space left on device"))
    assert not disk_is_full(OSError(2, "missing"))
    assert not disk_is_full(ValueError())


def test_requests_during_an_outage_log_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    keep = WithoutOutages().filter
    away = OperationalError("connection refused")
    for _ in range(3):
        assert not keep(record("django.request", "Internal Server Error: /", error=away))
    assert keep(record("django.request", "Internal Server Error: /", error=ValueError("ours")))
    assert [log_record.name for log_record in caplog.records] == ["leaderboard.operating.outages"]


def test_requests_on_a_full_disk_log_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    keep = WithoutOutages().filter
    full = OSError(errno.ENOSPC, "No space left on device")
    for _ in range(3):
        assert not keep(record("django.request", "Internal Server Error: /", error=full))
        assert not keep(record("celery.app.trace", "Task raised unexpected", error=full))
    (line,) = [log_record.getMessage() for log_record in caplog.records]
    assert "[Errno 28]" in line


def test_celerys_repeated_lines_during_an_outage_are_dropped(
    caplog: pytest.LogCaptureFixture,
) -> None:
    keep = WithoutOutages().filter
    consumer = "celery.worker.consumer.consumer"
    lost = "consumer: Connection to broker lost. Trying again..."
    for _ in range(3):
        assert not keep(record(consumer, "%s (%r)", lost, OSError()))
        assert not keep(record(consumer, "consumer: Cannot connect to %s: %s.\n", "redis", "no"))
        assert not keep(record("celery.beat", "Message Error: %s\n%s", "no", "Traceback"))
    assert not keep(record(consumer, "consumer: Cannot connect to %s", "redis"))
    assert keep(record(consumer, "consumer: something else"))
    assert len(caplog.records) == 1
    assert not keep(record(consumer, "Frequent restarts detected: %r", OSError()))
    connected = record("celery.worker.consumer.connection", "Connected to %s", "redis://")
    assert not keep(connected), "a full Redis accepts connections too"
    assert len(caplog.records) == 1
    outages.broker.ended()
    assert keep(connected)


def test_a_request_that_fails_by_an_outage_has_one_line() -> None:
    assert not OnlyFailures().filter(record("django.request", "Not Found: /x"))
    assert OnlyFailures().filter(record("django.request", "Error", error=ValueError()))


def test_sentry_gets_no_event_for_each_request() -> None:
    event = {"event_id": "1"}
    try:
        raise OperationalError("away")
    except OperationalError:
        assert without_outages(event, {"exc_info": sys.exc_info()}) is None
    assert without_outages(event, {}) is event


@pytest.mark.django_db
@pytest.mark.parametrize("statement", ["BEGIN IMMEDIATE", "INSERT INTO some VALUES (1)"])
def test_an_opened_connection_to_a_locked_file_ends_no_outage(
    statement: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Otherwise each try of a sweeper would log that the database answers again."""
    file = tmp_path / "db.sqlite3"
    entry = {"ENGINE": "django.db.backends.sqlite3", "NAME": file, "OPTIONS": {"timeout": 0}}
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("CREATE TABLE some (number)")
        other.execute("BEGIN IMMEDIATE")
        opened = ConnectionHandler({"default": entry})["default"]
        for _ in range(3):
            with opened.cursor() as cursor, pytest.raises(OperationalError) as caught:
                cursor.execute(statement)
            outages.database.began(caught.value)
            opened.close()
            with opened.cursor() as cursor:
                cursor.execute("SELECT * FROM some")
        other.execute("ROLLBACK")
        with opened.cursor() as cursor:
            cursor.execute(statement)
        opened.close()
    assert not outages.database.goes_on
    assert len(caplog.records) == 2


def test_a_new_connection_to_postgresql_ends_the_outage() -> None:
    outages.database.began("gone")
    connection_created.send(DatabaseWrapper, connection=DatabaseWrapper({}))
    assert not outages.database.goes_on
