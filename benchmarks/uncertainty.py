"""Rank intervals and the verdict of a board: matrix products against loops over draws and pairs.

`python -m benchmarks uncertainty[=N]`, for N entries × N tasks with a tenth of holes.
"""

from __future__ import annotations

import statistics
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from benchmarks.parts.report import Line, Table
from leaderboard.rules.statistics.pairwise import Pairs
from leaderboard.rules.statistics.parts import Floats, TaskParts
from leaderboard.rules.statistics.rank_intervals import rank_intervals
from leaderboard.rules.statistics.redrawn import DRAWS, redrawn_ranks
from leaderboard.rules.statistics.verdicts import verdict

HOLES = 0.1
ROUNDS = 5


def run(*, attempts: int = 500) -> Table:
    """One table. Processor time of one thread, the median of some rounds."""
    values = _values(attempts)
    parts = TaskParts.of_values(values)
    lines = [
        *_against(
            f"ranks in {DRAWS:,} redrawn sets of tasks",
            lambda: redrawn_ranks(parts, 1),
            "a loop over draws, with numpy",
            lambda: _loop_over_draws(values),
        ),
        *_against(
            "all pairs compared, corrected within each entry",
            lambda: list(Pairs(parts).blocks()),
            "a loop over pairs, with numpy, t alone",
            lambda: _loop_over_pairs(values),
        ),
        _both(parts),
        Line("the verdict alone", _time_text(_spent(lambda: _verdict(parts), ROUNDS)), ""),
    ]
    return Table(f"{attempts} entries × {attempts} tasks", lines)


def _values(size: int) -> Floats:
    """0 or 1 by ability and difficulty, NaN for a hole."""
    dice = np.random.default_rng(1)
    luck = dice.normal(0, 1, (size, size))
    solved = dice.normal(0, 1, (size, 1)) - dice.normal(0, 1, size) + luck > 0
    return np.where(dice.random((size, size)) < HOLES, np.nan, solved.astype(float))


def _both(parts: TaskParts) -> Line:
    spent = _spent(lambda: rank_intervals(parts, seed=1), ROUNDS)
    tracemalloc.start()
    rank_intervals(parts, seed=1)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return Line("all rank intervals", f"{_time_text(spent)}, at most {peak:.0f} MiB", "")


def _verdict(parts: TaskParts) -> object:
    return verdict(parts, values=parts.values.tolist(), ranks=parts.ranks().tolist())


def _against(
    what: str, ours: Callable[[], object], named: str, loop: Callable[[], object]
) -> list[Line]:
    mine, other = _spent(ours, ROUNDS), _spent(loop, 1)
    return [
        Line(what, _time_text(mine), f"{other / mine:.0f} × as fast"),
        Line(f"– {named}", _time_text(other), "1"),
    ]


def _loop_over_draws(values: Floats) -> list[Floats]:
    """Each draw by itself: the means over its tasks, and their order."""
    dice = np.random.default_rng(1)
    tasks = values.shape[1]
    draws = (values[:, dice.integers(tasks, size=tasks)] for _ in range(DRAWS))
    return [np.argsort(np.nanmean(draw, axis=1)) for draw in draws]


def _loop_over_pairs(values: Floats) -> list[float]:
    """Student's t of the differences on shared tasks, without any p value."""
    leads = []
    for row in range(len(values)):
        for other in range(row):
            difference = values[row] - values[other]
            shared = difference[~np.isnan(difference)]
            error = shared.std(ddof=1) / shared.size**0.5
            leads.append(shared.mean() / error if error else 0.0)
    return leads


def _spent(call: Callable[[], object], rounds: int) -> float:
    """Seconds of processor time."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times)


def _time_text(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
