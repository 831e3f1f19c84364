"""Fork servers, which the zygotes of one worker share."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest

from leaderboard.sandbox import Request, Sandbox, SandboxError
from leaderboard.sandbox.host import fork_servers
from tests.processes import family
from tests.sandbox import conftest
from tests.sandbox.watching import score

SETTINGS = replace(conftest.SETTINGS, preload=("textwrap",))
"""Settings whose fork server nothing else in this process uses."""
GOOD = "hostile.good:Good"


@pytest.fixture
def two() -> Iterator[tuple[Sandbox, Sandbox]]:
    with ExitStack() as stack:
        sandboxes = stack.enter_context(Sandbox(SETTINGS)), stack.enter_context(Sandbox(SETTINGS))
        assert [score(sandbox, GOOD).value for sandbox in sandboxes] == [80, 80]
        yield sandboxes


def fork_server_of(sandbox: Sandbox) -> fork_servers.ForkServer:
    assert sandbox._zygotes.current is not None
    return sandbox._zygotes.current._fork_server


def test_zygotes_with_the_same_libraries_share_a_fork_server(
    two: tuple[Sandbox, Sandbox],
) -> None:
    first, second = two
    assert fork_server_of(first) is fork_server_of(second)
    assert first._zygotes.current is not None
    assert second._zygotes.current is not None
    assert first._zygotes.current.pid != second._zygotes.current.pid


def test_a_fork_server_ends_with_its_last_zygote(two: tuple[Sandbox, Sandbox]) -> None:
    first, second = two
    server = fork_server_of(first)
    first.close()
    assert server.is_alive()
    assert score(second, GOOD).value == 80
    second.close()
    assert not server.is_alive()


def test_a_closed_sandbox_leaves_no_process() -> None:
    before = {process.pid for process in family(os.getpid())}
    sandbox = Sandbox(SETTINGS)
    assert score(sandbox, GOOD).value == 80
    sandbox.close()
    assert {process.pid for process in family(os.getpid())} <= before


def test_zygotes_outlive_a_fork_server_that_died(two: tuple[Sandbox, Sandbox]) -> None:
    first, second = two
    server = fork_server_of(first)
    server._process.kill()
    server._process.wait()
    assert score(first, GOOD).value == 80
    second.close()
    assert score(second, GOOD).value == 80
    assert fork_server_of(second) is not server
    assert fork_server_of(first) is server


def test_a_fork_server_of_the_starter_is_alive_until_its_socket_closes() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(0.05)  # as a control socket, which has 30 s
        server = fork_servers._Elsewhere(ours)
        assert server.poll() is None
        theirs.send(b"1")
        assert server.poll() is None
        ours.recv(1)
        theirs.close()
        assert server.poll() == 1
        ours.close()
        assert server.poll() == 1


def test_a_fork_server_that_does_not_start_reports_why(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = (sys.executable, "-c", "raise SystemExit('no such luck')")
    monkeypatch.setattr(fork_servers, "COMMAND", broken)
    with Sandbox(SETTINGS) as sandbox, pytest.raises(SandboxError, match="no such luck"):
        score(sandbox, GOOD)


def test_a_zygote_that_does_not_start_reports_why(
    two: tuple[Sandbox, Sandbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = two
    second.close()
    with monkeypatch.context() as patched:
        order: dict[str, object] = {"packages": [], "modules": [], "places": []}
        patched.setattr(
            "leaderboard.sandbox.host.zygote.ZygoteClient._order", lambda self, view: order
        )
        with pytest.raises(SandboxError, match="project"):
            score(second, GOOD)
    assert score(second, GOOD).value == 80
    assert fork_server_of(second) is fork_server_of(first)


def test_a_zygote_that_does_not_react_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.sandbox.host.zygote.END_SECONDS", 0.2)
    before = {process.pid for process in family(os.getpid())}
    sandbox = Sandbox(SETTINGS)
    assert score(sandbox, GOOD).value == 80
    assert sandbox._zygotes.current is not None
    monkeypatch.setattr(type(sandbox._zygotes.current.control), "shutdown", lambda self, how: None)
    sandbox.close()
    assert {process.pid for process in family(os.getpid())} <= before


def test_an_idle_sandbox_ends_and_starts_again(two: tuple[Sandbox, Sandbox]) -> None:
    first, second = two
    server = fork_server_of(first)
    assert not first.close_if_idle(600), "it was used just now"
    outcomes = first.score(GOOD, {}, [Request({}, {})] * 2, timeout_ms=60_000, fresh=False)
    next(outcomes)
    assert not first.close_if_idle(0), "it is being used"
    list(outcomes)
    assert first.close_if_idle(0)
    assert second.close_if_idle(0)
    assert not server.is_alive()
    assert not first.close_if_idle(0), "there is nothing to end"
    assert score(first, GOOD).value == 80
