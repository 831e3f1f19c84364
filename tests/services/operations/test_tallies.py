"""Counters that all processes of an installation add to."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from django.db import OperationalError

from leaderboard.models import Tally
from leaderboard.models.tally import TallyQuerySet
from leaderboard.services.operations import tallies
from leaderboard.services.operations.tallies import ATTEMPTS, LEASES_LOST, SCORING
from tests.services.threads import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _counting(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    settings.PROMETHEUS_TOKEN = "right"
    monkeypatch.setattr(tallies, "_flushes", False)  # another test may have started the counting
    tallies._amounts.clear()
    yield
    tallies._amounts.clear()


def test_without_a_token_nothing_is_counted(settings: Any) -> None:
    settings.PROMETHEUS_TOKEN = ""
    tallies.count(LEASES_LOST)
    tallies.observe(SCORING, 1.0)
    assert not tallies._amounts


def test_counts_are_added_by_one_statement(django_assert_num_queries: Any) -> None:
    for _ in range(2):
        tallies.count(LEASES_LOST)
        tallies.count(ATTEMPTS, tenant="acme", result="scored")
        tallies.count(ATTEMPTS, 2, tenant="acme", result="failed")
        with django_assert_num_queries(1):
            assert tallies.flush()
    with django_assert_num_queries(0):
        assert tallies.flush()
    assert tallies.totals() == {
        "podium_attempts_total": [
            ({"result": "failed", "tenant": "acme"}, 4.0),
            ({"result": "scored", "tenant": "acme"}, 2.0),
        ],
        "podium_leases_lost_total": [({}, 2.0)],
    }


def test_a_duration_counts_in_one_bucket() -> None:
    for seconds in (0.01, 0.02, 0.025, 700.0):
        tallies.observe(SCORING, seconds)
    tallies.flush()
    totals = tallies.totals()
    assert {labels["le"]: n for labels, n in totals["podium_scoring_seconds_bucket"]} == {
        "0.01": 1.0,
        "0.025": 2.0,
        "+Inf": 1.0,
    }
    [(labels, total)] = totals["podium_scoring_seconds_sum"]
    assert (labels, round(total, 6)) == ({}, 700.055)


def test_counts_are_kept_while_the_database_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    tallies.count(LEASES_LOST)

    def away(*_: Any) -> None:
        raise OperationalError("away")

    with monkeypatch.context() as patched:
        patched.setattr(TallyQuerySet, "add", away)
        assert not tallies.flush()
    tallies.count(LEASES_LOST)
    assert tallies.flush()
    assert Tally.objects.get().value == 2.0


def test_a_forked_process_does_not_repeat_its_parents_counts() -> None:
    tallies.count(LEASES_LOST)
    tallies._in_a_child()
    assert not tallies._amounts


def test_only_declared_labels_are_accepted() -> None:
    with pytest.raises(AssertionError):
        tallies.count(ATTEMPTS, tenant="acme")


@pytest.mark.django_db(transaction=True)
def test_concurrent_additions_lose_nothing() -> None:
    keys = [("podium_x_total", f'{{"n": "{n}"}}') for n in range(5)]

    def add(order: int) -> None:
        for _ in range(10):
            Tally.objects.add(dict.fromkeys(keys[::order], 1.0))

    at_once([partial(add, order) for order in (1, -1, 1, -1)])
    assert set(Tally.objects.values_list("value", flat=True)) == {40.0}


def test_a_serving_process_stores_its_counts_regularly(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = threading.Event()
    monkeypatch.setattr(tallies, "FLUSH_SECONDS", 0.01)
    monkeypatch.setattr(tallies, "_flushes", True)
    monkeypatch.setattr(tallies, "_thread", None)
    monkeypatch.setattr(tallies, "flush", stored.set)
    tallies.count(LEASES_LOST)
    assert stored.wait(60)
    tallies._amounts.clear()
