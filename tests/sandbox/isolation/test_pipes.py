"""The pipes of a child that writes without limit."""

import os
import socket
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from leaderboard.sandbox import SandboxSettings
from leaderboard.sandbox.host.pipes import Child, DeadlineExceeded

SECONDS = 0.2


@pytest.fixture
def answers() -> Iterator[tuple[Child, int]]:
    """Yield a child that prints without end, and the writing end of its answer pipe."""
    ours, theirs = socket.socketpair()
    zygote: Any = SimpleNamespace(
        control=ours, settings=SandboxSettings(), order=lambda verb, number: None
    )
    requests, written = os.pipe(), os.pipe()
    child = Child(zygote, 1, requests[1], written[0], os.open("/dev/zero", os.O_RDONLY))
    with ours, theirs:
        yield child, written[1]
    child.close()
    os.close(requests[0])
    os.close(written[1])


def test_a_child_that_prints_without_end_times_out(answers: tuple[Child, int]) -> None:
    with pytest.raises(DeadlineExceeded):
        answers[0].next_line(SECONDS)


def test_a_child_that_never_ends_its_answer_times_out(
    answers: tuple[Child, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.sandbox.host.pipes.END_SECONDS", SECONDS)
    child, pipe = answers
    over = threading.Event()

    def trickle() -> None:
        while not over.wait(SECONDS / 50):
            os.write(pipe, b".")

    writing = threading.Thread(target=trickle)
    writing.start()
    try:
        with pytest.raises(DeadlineExceeded):
            child.next_line(SECONDS)
    finally:
        over.set()
        writing.join()


def test_an_answer_that_is_ready_is_read_after_the_deadline(answers: tuple[Child, int]) -> None:
    child, pipe = answers
    os.write(pipe, b"done\n")
    assert child.next_line(-SECONDS) == b"done"
