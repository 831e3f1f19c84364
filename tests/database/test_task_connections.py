"""Tasks of a worker's process share its connection to the database."""

import time
from typing import Any
from unittest.mock import Mock

import pytest
from celery import signals
from celery.fixups.django import DjangoWorkerFixup  # type: ignore[attr-defined]
from django.db import DatabaseError, close_old_connections, connection
from django.test import Client

from leaderboard import celery
from leaderboard.models import Tenant, User
from leaderboard.services.tokens import create_token

pytestmark = pytest.mark.django_db(transaction=True)


def a_task_runs(*, is_eager: bool = False) -> Any:
    """Do what Celery does before and after a task; returns the connection that the task used."""
    task = Mock()
    task.request.is_eager = is_eager
    fixup = DjangoWorkerFixup(celery.app)
    fixup.on_task_prerun(task)
    signals.task_prerun.send(task)
    connection.ensure_connection()
    used = connection.connection
    fixup.on_task_postrun(task)
    signals.task_postrun.send(task)
    return used


def test_a_task_uses_the_connection_of_the_task_before() -> None:
    assert a_task_runs() is a_task_runs()


def test_a_task_gets_another_connection_after_a_while() -> None:
    first = a_task_runs()
    connection.close_at = 0.0
    assert a_task_runs() is not first


@pytest.mark.parametrize("seconds", [0.5, 1.5])
def test_a_connection_is_asked_after_a_second_without_a_task(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that the server has ended is replaced if it is asked."""
    first = a_task_runs()
    later = time.monotonic() + seconds
    with monkeypatch.context() as patched:
        patched.setattr(connection, "is_usable", lambda: False)
        patched.setattr("leaderboard.celery.time", Mock(monotonic=lambda: later))
        second = a_task_runs()
    assert (second is not first) == (seconds > celery.ASKED_AFTER)


def test_a_connection_is_asked_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    first = a_task_runs()
    connection.errors_occurred = True
    with monkeypatch.context() as patched:
        patched.setattr(connection, "is_usable", lambda: False)
        assert a_task_runs() is not first


def test_a_task_that_runs_at_once_leaves_the_connection_to_its_caller() -> None:
    first = a_task_runs()
    connection.close_at = 0.0
    assert a_task_runs(is_eager=True) is first


READ_ONLY = {
    "sqlite": "PRAGMA query_only = ON",
    "postgresql": "SET default_transaction_read_only = on",
}


@pytest.mark.parametrize("path", ["/api/v1/challenges/", "/sign-in/"])
def test_requests_may_be_repeated_when_the_database_takes_no_writes(path: str) -> None:
    client = Client(raise_request_exception=False)
    tenant = Tenant.objects.create(slug="default", name="Default")
    user = User.objects.create_superuser("root", password="pass")
    token = create_token(user=user, scopes=["organise"], tenant=tenant)[1]
    connection.ensure_connection()
    with connection.cursor() as cursor:
        cursor.execute(READ_ONLY[connection.vendor])
    headers = {"Authorization": f"Bearer {token}"} if path.startswith("/api/") else {}
    answer = client.post(
        path, {"username": "root", "password": "pass", "name": "Cup"}, headers=headers
    )
    close_old_connections()  # which the client of tests does not do
    assert (answer.status_code, answer["Retry-After"]) == (503, "10"), answer.content


def test_a_connection_that_takes_no_writes_is_not_used_again() -> None:
    """SQLite opens a file that it may not write to, and never writes by this connection; a server
    of PostgreSQL that another one has replaced takes no writes either."""
    a_task_runs()
    with connection.cursor() as cursor:
        cursor.execute(READ_ONLY[connection.vendor])
    with pytest.raises(DatabaseError):
        User.objects.create_user("bob")
    a_task_runs()
    User.objects.create_user("bob")
    with connection.cursor() as cursor:
        cursor.execute(READ_ONLY[connection.vendor])
    with pytest.raises(DatabaseError):
        User.objects.create_user("eve")
    close_old_connections()  # as after each request
    User.objects.create_user("eve")
