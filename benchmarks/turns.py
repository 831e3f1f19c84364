"""A process that is asked to compute the same thing again and again, and both ends of asking it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple, TypeVar

from tests.processes import family

Stored = TypeVar("Stored")
Given = TypeVar("Given")
SECONDS_PER_LOOK = 0.02


class Turn(NamedTuple):
    """How long computing took, and reading before it, in seconds; and the number that came out."""

    computing: float
    reading: float
    value: float


def serve(
    prepare: Callable[[], Stored],
    read: Callable[[Stored], Given],
    compute: Callable[[Given], float],
    *,
    fresh: bool = False,
) -> None:
    """In the process: read and compute once for each line that comes in. Preparing is not timed.

    fresh: each time in a fork of its own, of which nothing is left.
    """

    def turn() -> None:
        stored = prepare()
        start = time.perf_counter()
        given = read(stored)
        between = time.perf_counter()
        value = compute(given)
        spent = time.perf_counter() - between, between - start
        print(json.dumps([*spent, value]), flush=True)

    print("ready", flush=True)
    for _ in sys.stdin:
        if not fresh:
            turn()
        elif pid := os.fork():
            os.waitpid(pid, 0)
        else:
            turn()
            os._exit(0)


class Asked:
    """From outside: the process, with what it holds before anything was asked, in MiB."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        assert self._said() == "ready\n"
        self.rest = held(process.pid)

    def turn(self) -> Turn:
        assert self._process.stdin
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        return Turn(*json.loads(self._said()))

    def peak(self) -> float:
        """The most that the process and all that it has started held during a turn, in MiB."""
        looks = [self.rest]
        over = Event()

        def look() -> None:
            while not over.wait(SECONDS_PER_LOOK):
                looks.append(held(self._process.pid))

        looking = Thread(target=look)
        looking.start()
        try:
            self.turn()
        finally:
            over.set()
            looking.join()
        return max(looks)

    def _said(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline()


@contextmanager
def asked(*words: object) -> Iterator[Asked]:
    """`python -m` with these words, as a process to ask; ended at the end."""
    command: Sequence[str] = [sys.executable, "-m", *map(str, words)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Asked(process)
        assert process.stdin
        process.stdin.close()


def held(pid: int) -> float:
    """MiB of a process and all that it has started; what several share is counted once."""
    found = 0
    for member in family(pid):
        with suppress(OSError):
            text = Path(f"/proc/{member.pid}/smaps_rollup").read_text()
            found += int(re.findall(r"^Pss:\s+(\d+)", text, re.MULTILINE)[0])
    return found / 1024
