"""The Redis cache of Django, for a product that must answer while Redis is away."""

import logging
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any, ClassVar

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import RedisError

from leaderboard import outages
from leaderboard.cache_values import NotKept, Serializer, Unreadable

PAUSE_SECONDS = 5.0

logger = logging.getLogger(__name__)

# What each call answers without Redis: nothing is found and nothing is kept. `add` says "yours",
# because a lock that is taken through the cache must not block for ever.
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


class CountingClient(RedisCacheClient):
    def count(self, key: str, by: int, seconds: int) -> int:
        """Add to a number that is forgotten some time after; the sum. One trip to Redis."""
        with self.get_client(key, write=True).pipeline(transaction=False) as pipeline:
            pipeline.incrby(key, by)
            pipeline.expire(key, seconds)
            return int(pipeline.execute()[0])


class ForgivingClient:
    """Django's client, except that without Redis pages get slower and none fails.

    After a failure Redis is left alone for a few seconds, so that a hanging server costs one
    time-out now and then and not one for each request.
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
                pass  # Another version's, or nobody's that we know.
            except NotKept as error:
                logger.error("%s", error)
            else:
                outages.cache.ended()
                return answer
        return WITHOUT_REDIS[name](*args)


class ForgivingRedisCache(RedisCache):
    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = ForgivingClient

    def count(self, key: str, by: int, seconds: int) -> int:
        shared: Any = self._cache
        return int(shared.count(self.make_and_validate_key(key), by, seconds))
