"""Redis is down, is stopped, loses its data, is full; messages arrive twice or not at all."""

import signal
import time

import redis

from tests.faults.world import PROMISED_SECONDS, World
from tests.processes import Site, eventually


def test_redis_is_down(world: World) -> None:
    slug = world.challenge("Redis away")
    with world.clients(slug) as sent:
        eventually(lambda: len(sent) > 10)
        world.stack.kill("redis-server")
        sent_before = len(sent)
        eventually(lambda: len(sent) > sent_before + 10)
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
            sent_before = len(sent)
            eventually(lambda: len(sent) > sent_before + 3)
        finally:
            process.send_signal(signal.SIGCONT)
    world.check_everything_ended("Redis stopped (SIGSTOP)")


def test_redis_loses_its_data(world: World) -> None:
    slug = world.challenge("Redis flushed")
    with world.clients(slug) as sent, _client(world) as client:
        for _ in range(5):
            sent_before = len(sent)
            eventually(lambda: len(sent) > sent_before + 5)  # noqa: B023
            client.flushall()
    world.check_everything_ended("Redis flushed")


def test_redis_is_full(world: World) -> None:
    """Attempts are scored while Redis refuses every write, and the log says it once."""
    slug = world.challenge("Redis full")
    logs = [world.stack.log(word) for word in ("worker", "gunicorn")]
    with _client(world) as client:
        limit = client.config_get("maxmemory")["maxmemory"]
        with world.clients(slug) as sent:
            eventually(lambda: len(sent) > 10)
            client.config_set("maxmemory", "1")
            time.sleep(0.5)
            before = [log.stat().st_size for log in logs]
            sent_before = len(sent)
            eventually(lambda: len(sent) > sent_before + 10)
        eventually(lambda: not world.waiting(), within=PROMISED_SECONDS)
        world.submit(slug)
        eventually(lambda: not world.waiting(), within=PROMISED_SECONDS)
        world.stack.stop("worker")
        world.stack.start("worker")
        world.submit(slug)
        eventually(lambda: not world.waiting(), within=PROMISED_SECONDS)
        status = Site(world.stack.site.port, world.stack.environment["PROMETHEUS_TOKEN"])
        assert status.ask("GET", "/status.json").json["broker"] == "does not answer"
        for log, size in zip(logs, before, strict=True):
            assert b"answers again" not in log.read_bytes()[size:]
        client.config_set("maxmemory", limit)
    eventually(lambda: b"the broker answers again" in logs[0].read_bytes()[before[0] :])
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
