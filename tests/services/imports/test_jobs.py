"""Files with thousands of rows are read by workers, as jobs that survive lost messages."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.db.models.functions import Now

from leaderboard.importers import ImportFailed, Source, read
from leaderboard.importers.reading import amounts
from leaderboard.models import Attempt, Challenge, ImportJob, User
from leaderboard.services.competition.clock import received_now
from leaderboard.services.imports import jobs
from leaderboard.services.imports.jobs import (
    AskedImport,
    create_job,
    read_again,
    rows_for_a_worker,
    work_on,
)
from tests.services.refusals import refusal

ROWS = 30


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MOST_AT_ONCE", ROWS - 1)
    monkeypatch.setattr(jobs, "ROWS_KEPT", 10)


def table(rows: int, header: str = "participant,elapsed_ms,succeeded") -> bytes:
    return "\n".join([header, *(f"m{number},{number},true" for number in range(rows))]).encode()


def job_of(challenge: Challenge, user: User, content: bytes, **asked: Any) -> ImportJob:
    fields = AskedImport(label="a.csv", received_at=received_now().isoformat(), **asked)
    return create_job(
        challenge=challenge, user=user, file=BytesIO(content), asked=fields, dry_run=True, rows=1
    )


@pytest.mark.parametrize(
    ("content", "large"),
    [
        (table(ROWS), True),
        (table(ROWS, "model,points,ok"), True),
        (table(ROWS - 2), False),
        (table(ROWS, "task,reward,participant"), False),  # samples are packed
        (b'{"participant": "a", "values": {"x": 1}}\n' * ROWS, True),
        (b'{"a":\n' + b"\n" * ROWS + b"1}", False),
        (b"?" + b"\n" * ROWS, False),
    ],
    ids=["table", "any table", "few", "samples", "lines", "document", "unknown"],
)
def test_only_files_with_many_attempts_are_jobs(content: bytes, large: bool) -> None:
    with Source.open(content, "a.txt") as source:
        assert (rows_for_a_worker(source, "") > 0) is large


@pytest.mark.parametrize("header", ["participant,points", "model,points"])
def test_reading_stops_with_the_first_attempt_too_many(
    header: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(amounts, "MAX_ATTEMPTS", 5)
    lines = [header, *(f"m{number},{number}" for number in range(6))]
    with Source.open("\n".join(lines).encode(), "a.csv") as source, pytest.raises(ImportFailed):
        read(source)


@pytest.mark.django_db
def test_a_job_is_previewed_and_then_imported_once(sprint: Challenge, bob: User) -> None:
    job = job_of(sprint, bob, table(ROWS))
    work_on(job.pk)
    job.refresh_from_db()
    assert (job.state, job.attempts, job.error) == ("done", ROWS, None)
    assert (job.result["attempts"], job.result["known"], len(job.result["rows"])) == (ROWS, 0, 10)
    assert not Attempt.objects.exists()
    assert read_again(job, columns=(), received_at=received_now(), dry_run=False)
    assert not read_again(job, columns=(), received_at=received_now(), dry_run=False)
    work_on(job.pk)
    work_on(job.pk)
    assert Attempt.objects.count() == ROWS
    job.refresh_from_db()
    assert (job.state, bytes(job.content), job.result["known"]) == ("done", b"", 0)
    assert not read_again(job, columns=(), received_at=received_now(), dry_run=False)


def test_a_file_that_is_too_long_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MAX_ATTEMPTS", ROWS)
    for rows, code in ((ROWS, ""), (ROWS + 2, "too_large")):
        with Source.open(table(rows), "a.csv") as source:
            refused = "" if not code else refusal(lambda: rows_for_a_worker(source, "")).code
            assert refused == code


@pytest.mark.django_db
def test_a_user_has_a_few_unfinished_jobs(sprint: Challenge, bob: User) -> None:
    first, *_rest = (job_of(sprint, bob, table(ROWS)) for _ in range(jobs.MOST_UNFINISHED))
    assert refusal(lambda: job_of(sprint, bob, table(ROWS))).code == "throttled"
    work_on(first.pk)
    job_of(sprint, bob, table(ROWS))


@pytest.mark.django_db
def test_a_refused_file_says_why_and_can_be_read_in_another_way(
    sprint: Challenge, bob: User
) -> None:
    content = table(ROWS, "model,speed,flag")
    job = job_of(sprint, bob, content, columns=["model=elapsed_ms"])
    work_on(job.pk)
    job.refresh_from_db()
    assert job.state == "failed"
    assert job.error["message"]
    assert read_again(job, columns=["flag=ignore"], received_at=received_now(), dry_run=True)
    work_on(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == ("done", None)


@pytest.mark.django_db
def test_lost_workers_are_replaced_and_at_last_given_up(sprint: Challenge, bob: User) -> None:
    job = job_of(sprint, bob, table(ROWS))
    rows = ImportJob.objects.filter(pk=job.pk)
    rows.update(state="working", lease_until=Now() + timedelta(minutes=1), deliveries=1)
    work_on(job.pk)  # another worker holds it
    assert rows.get().deliveries == 1
    rows.update(lease_until=Now() - timedelta(seconds=1))
    work_on(job.pk)
    assert (rows.get().state, rows.get().deliveries) == ("done", 2)
    rows.update(state="waiting", deliveries=jobs.MOST_DELIVERIES)
    work_on(job.pk)
    assert (rows.get().state, rows.get().error["code"]) == ("failed", "unavailable")


@pytest.mark.django_db
def test_the_sweep_works_without_a_broker_and_forgets_old_files(
    sprint: Challenge, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = (job_of(sprint, bob, table(ROWS)) for _ in range(2))
    ImportJob.objects.filter(pk=old.pk).update(created_at=Now() - timedelta(days=2))
    monkeypatch.setattr("leaderboard.messages.queue.notify_of_import", lambda job_id: False)
    monkeypatch.setattr(jobs, "work_apart", work_on)
    jobs.work_on_waiting()
    assert list(ImportJob.objects.values_list("pk", "state")) == [(new.pk, "done")]
