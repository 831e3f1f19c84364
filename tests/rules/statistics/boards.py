"""Boards for the tests of statistics: fixed ones, drawn by Hypothesis, and with known true
ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from leaderboard.rules.sortkey import Direction
from leaderboard.rules.statistics.parts import Counts, Floats, TaskParts

HOLE = float("nan")
DIRECTIONS: st.SearchStrategy[Direction] = st.sampled_from(["desc", "asc"])


def issue_pair() -> TaskParts:
    """100 tasks: 60 both right, 15 only the first, 5 only the second, 20 both wrong."""
    first = [1.0] * 60 + [1.0] * 15 + [0.0] * 5 + [0.0] * 20
    second = [1.0] * 60 + [0.0] * 15 + [1.0] * 5 + [0.0] * 20
    return TaskParts.of_values([first, second])


def solving(*solved: int, tasks: int = 40) -> TaskParts:
    """Return entries that solved the first so many tasks, and no other."""
    return TaskParts.of_values([[1.0] * count + [0.0] * (tasks - count) for count in solved])


def shuffled(parts: TaskParts, dice: np.random.Generator) -> tuple[TaskParts, list[int]]:
    """Return the entries in another order, and of each its row before."""
    order = list(range(parts.entries))
    dice.shuffle(order)
    return TaskParts(parts.above[order], parts.below[order], parts.direction), order


def few_values(zero_one: bool = False) -> st.SearchStrategy[float]:
    return st.sampled_from([0.0, 1.0, HOLE] if zero_one else [0.0, 0.25, 0.5, 1.0, -1.0, HOLE])


@st.composite
def small_boards(draw: st.DrawFn) -> TaskParts:
    """Draw 1 to 6 entries and 1 to 14 tasks, with ties and gaps; means over tasks or over
    samples."""
    shape = draw(st.tuples(st.integers(1, 6), st.integers(1, 14)))
    values = draw(arrays.arrays(float, shape, elements=few_values(draw(st.booleans()))))
    direction = draw(DIRECTIONS)
    means = TaskParts.of_values(values, direction)
    if draw(st.booleans()):
        return means
    samples = draw(arrays.arrays(float, shape, elements=st.sampled_from([1.0, 2.0, 3.0])))
    return TaskParts(means.above * samples, means.below * samples, direction)


@dataclass(frozen=True)
class Kind:
    """A kind of board whose true values are known.

    gaps: how far the entries' abilities are apart, in standard deviations of a task's difficulty.
    """

    name: str
    entries: int
    tasks: int
    gaps: float
    draw: Callable[[np.random.Generator, Floats, int], Floats]
    holes: float = 0.0


def solved(dice: np.random.Generator, abilities: Floats, tasks: int) -> Floats:
    """Draw 0 or 1: a task is solved if the ability exceeds its difficulty, with some noise."""
    return (_drawn(dice, abilities, tasks, luck=1.0) > 0.0).astype(float)


def continuous(dice: np.random.Generator, abilities: Floats, tasks: int) -> Floats:
    """Draw normal rewards around the difference of ability and difficulty."""
    return _drawn(dice, abilities, tasks, luck=0.5)


def sampled(dice: np.random.Generator, abilities: Floats, tasks: int) -> Floats:
    """Draw shares of 4 samples; those of one task and entry are correlated."""
    certain = _drawn(dice, abilities, tasks, luck=1.0)[:, :, np.newaxis]
    luck = dice.normal(0, 0.5, (*certain.shape[:2], 4))
    return np.asarray(np.mean(certain + luck > 0.0, axis=2))


def choosy(dice: np.random.Generator, abilities: Floats, tasks: int) -> Floats:
    """Continuous rewards; every second entry skipped the harder half of the tasks."""
    values = continuous(dice, abilities, tasks)
    hard = values.mean(axis=0) < np.median(values.mean(axis=0))
    values[1::2, hard] = HOLE
    return values


def skewed(dice: np.random.Generator, abilities: Floats, tasks: int) -> Floats:
    """Draw rewards that are rarely large: exponentials of normal numbers."""
    return np.asarray(np.exp(_drawn(dice, abilities, tasks, luck=0.5)))


def drawn_board(dice: np.random.Generator, kind: Kind) -> tuple[TaskParts, Counts]:
    """Draw a board; return it with the true ranks of its entries, which are all different."""
    abilities = np.arange(kind.entries, 0, -1, dtype=float) * kind.gaps
    values = kind.draw(dice, abilities, kind.tasks)
    if kind.holes:
        values[dice.random(values.shape) < kind.holes] = HOLE
    order = dice.permutation(kind.entries)
    return TaskParts.of_values(values[order]), order + 1


def _drawn(dice: np.random.Generator, abilities: Floats, tasks: int, luck: float) -> Floats:
    shape = abilities.size, tasks
    difficulties = dice.normal(abilities.mean(), 1.0, tasks)
    return abilities[:, np.newaxis] - difficulties + dice.normal(0.0, luck, shape)
