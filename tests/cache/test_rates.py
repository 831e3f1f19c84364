"""Counters of time windows: in memory, where clients cannot evict others' counters, and in
Redis."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import RequestFactory

from leaderboard.cache import counters, rates
from leaderboard.cache.counters import OTHERS, Counters
from leaderboard.cache.rates import address_of, wait_for
from leaderboard.cache.redis import ForgivingClient, ForgivingRedisCache
from tests.servers import free_port

pytestmark = pytest.mark.once


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now

    time = monotonic = __call__


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(counters, "monotonic", clock)
    monkeypatch.setattr(rates, "time", clock)
    return clock


def test_a_rate_applies_to_its_window(clock: Clock) -> None:
    clock.now = 60 * 1000.0
    assert [wait_for("2/min", "a") for _ in range(2)] == [None, None]
    clock.now += 10
    assert wait_for("2/min", "a") == 50
    assert wait_for("2/min", "b") is None
    clock.now += 50
    assert wait_for("2/min", "a") is None


def test_refused_requests_are_not_counted() -> None:
    assert wait_for("10/day", "a", 8) is None
    assert wait_for("10/day", "a", 3)
    assert wait_for("10/day", "a", 2) is None


def test_no_rate_is_no_limit() -> None:
    assert all(wait_for(None, "a") is None for _ in range(5))


def test_a_counter_is_forgotten_after_its_time(clock: Clock) -> None:
    own_counters = Counters()
    assert [own_counters.count("a", 1, 60) for _ in range(2)] == [1, 2]
    clock.now += 59
    assert own_counters.count("a", 1, 60) == 3
    clock.now += 1
    assert own_counters.count("a", 1, 60) == 1


def test_many_counters_do_not_evict_another(clock: Clock) -> None:
    own_counters = Counters(most=100)
    for _ in range(7):
        own_counters.count("mine", 1, 60)
    sums = [own_counters.count(f"rate:page:{number}", 1, 60) for number in range(500)]
    assert own_counters.count("mine", 1, 60) == 8
    assert sums[:99] == [1] * 99
    assert sums[-1] == 401
    assert own_counters.count(f"rate:page:{OTHERS}", 0, 60) == 401
    assert own_counters.count("rate:sign-in:1", 1, 60) == 1
    clock.now += 61
    assert own_counters.count("late", 1, 60) == 1


def test_eviction_of_the_cache_resets_no_counter() -> None:
    assert wait_for("1/day", "a") is None
    for number in range(1000):
        cache.set(f"something-{number}", number)
    assert wait_for("1/day", "a")


@pytest.mark.redis
def test_redis_counts_too(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ForgivingClient, "away_until", 0.0)
    shared = ForgivingRedisCache(redis_url, {})
    shared.clear()
    assert [shared.count("a", 3, 60), shared.count("a", -1, 60)] == [3, 2]
    assert shared.count("b", 1, 60) == 1
    shared.clear()


def test_without_redis_all_requests_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ForgivingClient, "away_until", 0.0)
    away = ForgivingRedisCache(f"redis://127.0.0.1:{free_port()}/0", {})
    assert [away.count("a", 1, 60) for _ in range(3)] == [1, 1, 1]


def test_an_ipv6_address_counts_by_its_network() -> None:
    cases: list[tuple[str, str]] = [
        ("198.51.100.7", "198.51.100.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("unix:", "unix:"),
        ("", ""),
    ]
    for address, counted in cases:
        request: Any = RequestFactory().get("/", REMOTE_ADDR=address)
        assert address_of(request) == counted, address
