"""Redis is down, is stopped, loses its data, is full; messages arrive twice or not at all."""

import signal
import time

import redis

from tests.faults.world import World
from tests.processes import eventually


def test_redis_is_down(world: World) -> None:
    slug = world.challenge("Redis away")
    with world.clients(slug) as sent:
        eventually(lambda: len(sent) > 10)
        world.stack.kill("redis-server")
        seen = len(sent)
        eventually(lambda: len(sent) > seen + 10)
        time.sleep(3)
        world.stack.start("redis-server")
    world.check_everything_ended("Redis away")


def test_redis_is_stopped(world: World) -> None:
    slug = world.challenge("Redis stopped")
    with world.clients(slug) as sent:
        eventually(lambda: len(sent) > 10)
        process = world.stack.process("redis-server")
        process.send_signal(signal.SIGSTOP)
        try:
            seen = len(sent)
            eventually(lambda: len(sent) > seen + 3)
        finally:
            process.send_signal(signal.SIGCONT)
    world.check_everything_ended("Redis stopped (SIGSTOP)")


def test_redis_loses_its_data(world: World) -> None:
    slug = world.challenge("Redis flushed")
    with world.clients(slug) as sent, _client(world) as client:
        for _ in range(5):
            seen = len(sent)
            eventually(lambda: len(sent) > seen + 5)  # noqa: B023
            client.flushall()
    world.check_everything_ended("Redis flushed")


def test_redis_is_full(world: World) -> None:
    slug = world.challenge("Redis full")
    with _client(world) as client:
        before = client.config_get("maxmemory")["maxmemory"]
        with world.clients(slug) as sent:
            eventually(lambda: len(sent) > 10)
            client.config_set("maxmemory", "1")
            seen = len(sent)
            eventually(lambda: len(sent) > seen + 10)
            client.config_set("maxmemory", before)
    world.check_everything_ended("Redis full")


def test_messages_arrive_twice(world: World) -> None:
    slug = world.challenge("Messages doubled")
    world.stack.stop("worker")
    with _client(world) as client:
        for _ in range(10):
            world.submit(slug)
        messages = client.lrange("podium", 0, -1)
        assert messages
        for message in messages * 2:
            client.lpush("podium", message)
    world.stack.start("worker")
    world.check_everything_ended("messages doubled")


def test_messages_are_lost(world: World) -> None:
    slug = world.challenge("Messages dropped")
    world.stack.stop("worker")
    with _client(world) as client:
        for _ in range(10):
            world.submit(slug)
        assert client.delete("podium")
    world.stack.start("worker")
    world.check_everything_ended("messages dropped")


def _client(world: World) -> "redis.Redis":
    return redis.Redis(port=world.stack.redis_port)
