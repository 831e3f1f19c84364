"""Errors of a task do not end the worker."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from leaderboard import tasks
from leaderboard.celery import app
from leaderboard.messages import queue
from leaderboard.operating import outages
from leaderboard.sandbox import IsolationMissing
from leaderboard.services.imports import jobs
from leaderboard.services.scoring import rescoring, single, sweeper

pytestmark = pytest.mark.once

WORK: list[tuple[Any, Any, str, tuple[Any, ...]]] = [
    (tasks.score_attempt, single, "score_next", (str(uuid4()),)),
    (tasks.score_waiting, single, "score_waiting", ()),
    (tasks.rescore, rescoring, "work_on", (1,)),
    (tasks.sweep, sweeper, "sweep", ()),
    (tasks.import_file, jobs, "work_apart", (str(uuid4()),)),
]


MISSING = IsolationMissing(["network"])


def fails_with(error: type[Exception] | Exception) -> Callable[..., None]:
    def work(*args: Any) -> None:
        raise error

    return work


def test_every_task_is_tested() -> None:
    app.loader.import_default_modules()
    ours = {name for name in app.tasks if name.startswith("leaderboard.")}
    assert ours == {task.name for task, *_ in WORK}
    assert {queue.SCORE_ATTEMPT, queue.SCORE_WAITING, queue.RESCORE} < ours


@pytest.mark.parametrize(("task", "service", "verb", "args"), WORK)
def test_no_memory_error_reaches_the_worker(
    task: Any, service: Any, verb: str, args: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, verb, fails_with(MemoryError))
    assert task(*args) is None


@pytest.mark.parametrize(("task", "service", "verb", "args"), WORK)
def test_a_host_that_lacks_a_protection_has_one_line(
    task: Any,
    service: Any,
    verb: str,
    args: tuple[Any, ...],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(outages, "sandbox", outages.Outage("sandbox", fails="does not work"))
    monkeypatch.setattr(service, verb, fails_with(MISSING))
    for _ in range(3):
        assert task(*args) is None
    (line,) = caplog.messages
    assert line.endswith("missing: network")


@pytest.mark.parametrize(("task", "service", "verb", "args"), WORK)
def test_celery_reports_other_errors(
    task: Any, service: Any, verb: str, args: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, verb, fails_with(LookupError))
    with pytest.raises(LookupError):
        task(*args)
