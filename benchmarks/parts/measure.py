"""Timing of calls, and a description of the machine."""

from __future__ import annotations

import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

TICK = 1000 / os.sysconf("SC_CLK_TCK")
"""Milliseconds of the unit in which Linux tells processor time."""

most_rounds = sys.maxsize
"""`--rounds`: no call is repeated more often."""


class Timing(NamedTuple):
    """Milliseconds of one call: the median and the 99th percentile."""

    p50: float
    p99: float

    def __str__(self) -> str:
        return f"{self.p50:.3f} ms (p99 {self.p99:.3f})"


def timed(call: Callable[[], object], *, rounds: int, warm: int = 5) -> Timing:
    """Time single calls; the first few are not counted."""
    rounds = min(rounds, most_rounds)
    for _ in range(min(warm, rounds)):
        call()
    spent = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        spent.append((time.perf_counter() - start) * 1000)
    return _timing(spent)


def spent_by(processes: Iterable[int]) -> float:
    """CPU milliseconds of running processes, and of their children that have ended."""
    return sum(map(_with_ended_children, processes))


def side_by_side(
    one: Callable[[], object], other: Callable[[], object], *, rounds: int
) -> tuple[Timing, Timing]:
    """Time two calls alternately, so that both see the same machine load."""
    turns = min(5, rounds, most_rounds)
    halves = [
        (timed(one, rounds=rounds // turns), timed(other, rounds=rounds // turns))
        for _ in range(turns)
    ]
    return (_median([first for first, _ in halves]), _median([second for _, second in halves]))


def shuffled(calls: Mapping[str, Callable[[], object]], *, rounds: int) -> dict[str, Timing]:
    """Time calls that take less than a millisecond, in each round in another random order.

    In a fixed order, each call would find in the caches of the processor what the same call has
    read before it. That alone makes a difference of some percent.
    """
    rounds = min(rounds, most_rounds)
    spent: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name in random.sample(list(calls), len(calls)):
            start = time.perf_counter()
            calls[name]()
            spent[name].append((time.perf_counter() - start) * 1000)
    return {name: _timing(times) for name, times in spent.items()}


def machine() -> str:
    """Describe the machine in one line."""
    model = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as lines:
            names = [
                line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")
            ]
        model = names[0] if names else model
    return (
        f"{os.cpu_count()} cores ({model}), Linux {platform.release()}, "
        f"Python {platform.python_version()}"
    )


def _timing(spent: list[float]) -> Timing:
    ordered = sorted(spent)
    last = len(ordered) - 1
    return Timing(statistics.median(ordered), ordered[min(int(len(ordered) * 0.99), last)])


def _median(timings: list[Timing]) -> Timing:
    return Timing(
        statistics.median(timing.p50 for timing in timings),
        statistics.median(timing.p99 for timing in timings),
    )


def _with_ended_children(process: int) -> float:
    after_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return TICK * sum(map(int, after_name[11:15]))
