"""Parts of the sweep that fail again and again are stored with the worker, until they work."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from django.db import OperationalError

from leaderboard.models import Worker
from leaderboard.operating import outages
from leaderboard.services.operations import failing_parts, workers
from leaderboard.services.scoring import sweeper


@pytest.fixture(autouse=True)
def _nothing_fails() -> Iterator[None]:
    failing_parts._failing.clear()
    yield
    failing_parts._failing.clear()


def stored() -> list[tuple[str, int, str]]:
    """The failing parts in the row of this worker."""
    workers.record_alive()
    row = Worker.objects.get(pk=workers.own_name())
    return [(part["part"], part["times"], part["error"]) for part in row.failing]


@pytest.mark.django_db
def test_a_part_is_stored_from_its_second_failure_until_it_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def begin_finals() -> None:
        raise LookupError("a name that only the log may have")

    with monkeypatch.context() as patched:
        patched.setattr(sweeper, "begin_finals", begin_finals)
        sweeper.sweep()
        assert stored() == []
        sweeper.sweep()
        sweeper.sweep()
        assert stored() == [("begin_finals", 3, "LookupError")]
    sweeper.sweep()
    assert stored() == []


def test_a_sweep_that_fails_outside_of_its_parts_is_recorded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An unavailable database is an outage, which the status shows anyway."""
    stop = threading.Event()
    errors = [LookupError(), LookupError(), OperationalError("away")]

    def sweep() -> int:
        error = errors.pop(0)
        if not errors:
            stop.set()
        raise error

    monkeypatch.setattr(outages, "database", outages.Outage("database"))
    monkeypatch.setattr(workers, "record_alive", lambda: None)
    monkeypatch.setattr(workers, "remove_own_row", lambda: None)
    monkeypatch.setattr(sweeper, "sweep", sweep)
    sweeper.keep_sweeping(stop, 0.001)
    (part,) = failing_parts.failing_parts()
    assert (part["part"], part["times"], part["error"]) == ("sweep", 2, "LookupError")
