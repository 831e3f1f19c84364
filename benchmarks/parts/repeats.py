"""A process that repeats a computation on request, and the process that controls it."""

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

from tests.processes import Member, family

Given = TypeVar("Given")
SECONDS_PER_LOOK = 0.02


class Repeat(NamedTuple):
    """Seconds that computing took, seconds that reading before it took, and the computed number."""

    computing: float
    reading: float
    value: float


def serve(
    read: Callable[[], Given],
    compute: Callable[[Given], float],
    *,
    fresh: bool = False,
) -> None:
    """Read and compute once for each input line; this runs in the controlled process.

    fresh: run each time in a new fork, so that nothing of a run is kept.
    """

    def repeat() -> None:
        start = time.perf_counter()
        given = read()
        between = time.perf_counter()
        value = compute(given)
        spent = time.perf_counter() - between, between - start
        print(json.dumps([*spent, value]), flush=True)

    print("ready", flush=True)
    for _ in sys.stdin:
        if not fresh:
            repeat()
        elif pid := os.fork():
            os.waitpid(pid, 0)
        else:
            repeat()
            os._exit(0)


class RepeatingProcess:
    """The controlled process, as its parent sees it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        assert self._next_line() == "ready\n"

    def repeat(self) -> Repeat:
        assert self._process.stdin
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        return Repeat(*json.loads(self._next_line()))

    def held(self) -> float:
        """Return the MiB that the process and all its descendants hold now."""
        return held(self._process.pid)

    def peak(self) -> float:
        """Return the most MiB that they held during a run."""
        looks = [self.held()]
        over = Event()

        def look() -> None:
            while not over.wait(SECONDS_PER_LOOK):
                looks.append(self.held())

        looking = Thread(target=look)
        looking.start()
        try:
            self.repeat()
        finally:
            over.set()
            looking.join()
        return max(looks)

    def _next_line(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline()


@contextmanager
def repeating(*words: object) -> Iterator[RepeatingProcess]:
    """Run `python -m` with these arguments as a controlled process, and end it afterwards."""
    command: Sequence[str] = [sys.executable, "-m", *map(str, words)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield RepeatingProcess(process)
        assert process.stdin
        process.stdin.close()


def held(pid: int) -> float:
    """Return the MiB of a process and all its descendants; shared pages count once.

    It measures again if one of them has started or ended meanwhile: that changes the shares of
    others.
    """
    while True:
        members = family(pid)
        with suppress(OSError):
            kibibytes = sum(map(_share, members))
            if family(pid) == members:
                return kibibytes / 1024


def _share(member: Member) -> int:
    """Return the proportional share of a process, in KiB."""
    text = Path(f"/proc/{member.pid}/smaps_rollup").read_text()
    return int(re.findall(r"^Pss:\s+(\d+)", text, re.MULTILINE)[0])
