"""The cache in Redis: what it stores, and what happens while Redis is away or full."""

import pickle
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.cache.backends.base import BaseCache
from redis import Redis

from leaderboard.cache import redis
from leaderboard.cache.redis import ForgivingClient, ForgivingRedisCache
from leaderboard.cache.values import NotCacheable, Serializer
from leaderboard.operating import outages
from leaderboard.sandbox.contract import Failure, IsolationReport, PluginDescription, ThreatReport
from leaderboard.services.plugins.isolation import WorkerReport
from tests.servers import free_port, running_redis

pytestmark = pytest.mark.once


def redis_cache(url: str) -> BaseCache:
    return ForgivingRedisCache(url, {"OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1}})


@pytest.fixture(autouse=True)
def _redis_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ForgivingClient, "away_until", 0.0)


@pytest.mark.redis
def test_the_cache_stores_what_redis_stores(redis_url: str) -> None:
    cache = redis_cache(redis_url)
    assert cache.add("a", [1, "x"])
    assert not cache.add("a", 2)
    assert cache.get("a") == [1, "x"]
    cache.set_many({"n": 1, "m": 2})
    assert cache.incr("n", 4) == 5
    assert cache.get_many(["n", "m", "gone"]) == {"n": 5, "m": 2}
    assert cache.touch("a", 10)
    assert cache.delete("a")
    cache.delete_many(["n"])
    assert not cache.has_key("n")
    cache.clear()
    assert cache.get("m", "default") == "default"


@pytest.mark.redis
def test_only_a_write_ends_the_outage_of_a_full_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full Redis answers all reads, so a line for each of them would say that it is back."""
    outage = outages.Outage("cache")
    monkeypatch.setattr(outages, "cache", outage)
    with running_redis("--maxmemory", "1") as url:
        cache = redis_cache(url)
        for _ in range(2):
            cache.set("a", 1)
            assert outage.goes_on
            monkeypatch.setattr(ForgivingClient, "away_until", 0.0)
            assert cache.get("a") is None
            assert not cache.delete("a")
            assert outage.goes_on
        Redis.from_url(url).config_set("maxmemory", 0)
        cache.set("a", 1)
    assert not outage.goes_on


@pytest.mark.redis
def test_the_cache_runs_no_code_stored_in_redis(redis_url: str) -> None:
    cache = redis_cache(redis_url)
    with pytest.raises(NotCacheable):
        Serializer().dumps(Path("/"))
    cache.set("a", Path("/"))
    assert cache.get("a") is None
    cache.set("a", "text")
    connection = Redis.from_url(redis_url)
    (name,) = connection.keys("*:a")
    foreign = pickle.dumps(ValueError("pickled")), b"j{", b'j{"of":"Path","is":{}}', b"x", b""
    for value in foreign:
        connection.set(name, value)
        assert cache.get("a", "default") == "default"
        assert cache.get_many(["a"]) == {}
    cache.delete("a")


MOMENT = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
REPORT = IsolationReport("off", (ThreatReport("network", True, ("x",)),), ("a",), ())
KEPT: list[Any] = [
    5,
    -1,
    True,
    None,
    1.5,
    "a text, \ud800 too",
    ["known", 2],
    (3, 2),
    {"a": (1, None), 2: [{}]},
    MOMENT,
    PluginDescription("a:B", config_schema={"of": "x"}, error=Failure("timeout", "late")),
    {"host": WorkerReport("host", MOMENT, REPORT)},
]


@pytest.mark.redis
def test_the_cache_returns_values_unchanged(redis_url: str) -> None:
    for value in KEPT:
        cache = redis_cache(redis_url)
        cache.set("kept", value)
        back = cache.get("kept")
        assert (type(back), back) == (type(value), value), value


def test_without_redis_the_cache_is_empty_and_never_fails() -> None:
    cache = redis_cache(f"redis://127.0.0.1:{free_port()}/0")
    assert cache.get("a", "default") == "default"
    cache.set("a", 1)
    cache.set_many({"a": 1})
    cache.delete_many(["a"])
    cache.clear()
    assert cache.add("lock", 1)
    assert cache.get_many(["a"]) == {}
    assert not cache.touch("a", 1)
    assert not cache.delete("a")
    assert not cache.has_key("a")
    assert cache.incr("a") == 1


@pytest.mark.redis
def test_the_cache_tries_redis_again_after_a_pause(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(redis, "monotonic", lambda: now)
    redis_cache(f"redis://127.0.0.1:{free_port()}/0").get("a")
    cache = redis_cache(redis_url)
    cache.set("a", 1)
    assert cache.get("a") is None
    now += redis.PAUSE_SECONDS
    cache.set("a", 1)
    assert cache.get("a") == 1
