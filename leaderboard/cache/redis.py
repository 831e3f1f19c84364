"""Django's Redis cache, extended so that the product answers while Redis is unavailable."""

import logging
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any, ClassVar

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import RedisError

from leaderboard.cache.values import NotCacheable, Serializer, Unreadable
from leaderboard.operating import outages
from leaderboard.rules.json.untyped_dicts import FrameworkDict

PAUSE_SECONDS = 5.0

logger = logging.getLogger(__name__)

# The answers of all calls without Redis: nothing is found and nothing is stored. `add` reports
# success, because a lock that is taken through the cache must not block for ever.
WITHOUT_REDIS: dict[str, Callable[..., Any]] = {
    "add": lambda key, value, timeout: True,
    "get": lambda key, default: default,
    "set": lambda key, value, timeout: None,
    "touch": lambda key, timeout: False,
    "delete": lambda key: False,
    "get_many": lambda keys: {},
    "has_key": lambda key: False,
    "incr": lambda key, delta: delta,
    "set_many": lambda data, timeout: None,
    "delete_many": lambda keys: None,
    "clear": lambda: False,
    "count": lambda key, by, seconds: by,
}

STORES = frozenset({"add", "set", "incr", "set_many", "count"})
"""The calls that need free memory in Redis. A full Redis answers all others."""


class CountingClient(RedisCacheClient):
    def count(self, key: str, by: int, seconds: int) -> int:
        """Add to a number that expires after `seconds`; returns the sum. Needs one round trip."""
        with self.get_client(key, write=True).pipeline(transaction=False) as pipeline:
            pipeline.incrby(key, by)
            pipeline.expire(key, seconds)
            return int(pipeline.execute()[0])


class ForgivingClient:
    """Django's client, except that without Redis pages are slower but do not fail.

    After a failure it does not ask Redis for a few seconds, so that a hanging server causes a
    time-out only now and then and not for each request.
    """

    away_until: ClassVar[float] = 0.0

    def __init__(self, servers: list[str], **options: Any) -> None:
        serializer: Any = Serializer()
        self.client = CountingClient(servers, serializer=serializer, **options)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in WITHOUT_REDIS:
            raise AttributeError(name)
        return partial(self.ask, name)

    def ask(self, name: str, *args: Any) -> Any:
        if monotonic() >= ForgivingClient.away_until:
            try:
                answer = getattr(self.client, name)(*args)
            except RedisError as error:
                outages.cache.began(error)
                ForgivingClient.away_until = monotonic() + PAUSE_SECONDS
            except Unreadable:
                pass  # written by another version, or by another program
            except NotCacheable as error:
                logger.error("%s", error)
            else:
                if name in STORES:
                    outages.cache.ended()
                return answer
        return WITHOUT_REDIS[name](*args)


class ForgivingRedisCache(RedisCache):
    def __init__(self, server: str, params: FrameworkDict) -> None:
        super().__init__(server, params)
        self._class = ForgivingClient

    def count(self, key: str, by: int, seconds: int) -> int:
        shared: Any = self._cache
        return int(shared.count(self.make_and_validate_key(key), by, seconds))
