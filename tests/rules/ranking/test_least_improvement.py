"""Which attempts move the board where a least improvement is required."""

from __future__ import annotations

import random

import pytest

from leaderboard.rules.ranking.least_improvement import improving
from leaderboard.rules.sortkey import Direction
from leaderboard.rules.visibility.withholding import decimals_shown, rounded


@pytest.mark.parametrize(
    ("values", "direction", "least", "decimals", "expected"),
    [
        ([], "desc", 0.01, 2, []),
        ([None, None], "desc", 0.01, 2, []),
        ([0.5, 0.505, 0.509, 0.51, 0.519, 0.52], "desc", 0.01, 2, [0, 3, 5]),
        ([0.56, 0.57], "desc", 0.01, 2, [0, 1]),
        ([0.5, 0.4, 0.3, 0.505], "desc", 0.01, 2, [0]),
        ([9.0, 8.6, 8.4, 8.0], "asc", 0.5, 1, [0, 2]),
        ([None, 3.0, None, 40.0], "desc", 5.0, 0, [1, 3]),
        ([0.504, 0.5096], "desc", 0.01, 2, [0]),
    ],
)
def test_an_attempt_counts_if_it_is_better_by_a_step(
    values: list[float | None],
    direction: Direction,
    least: float,
    decimals: int,
    expected: list[int],
) -> None:
    assert improving(values, direction, least, decimals) == expected


@pytest.mark.parametrize(
    ("decimals", "least", "expected"),
    [
        (None, None, None),
        (2, None, 2),
        (None, 0.01, 2),
        (None, 0.05, 2),
        (None, 0.001, 3),
        (1, 0.001, 1),
        (9, 0.5, 1),
        (None, 1.0, 0),
        (None, 20.0, 0),
    ],
)
def test_scores_are_shown_to_the_digits_of_the_step(
    decimals: int | None, least: float | None, expected: int | None
) -> None:
    assert decimals_shown(decimals, least) == expected


def test_a_guesser_of_labels_learns_little() -> None:
    """Boosting by the sign of each improvement, on 200 hidden labels with 400 tries.

    With exact scores every label can be learned; with a step of 2 % the final score is close to
    that of guessing.
    """

    def reached(least: float, decimals: int) -> float:
        draw = random.Random(7)
        truth = [draw.random() < 0.5 for _ in range(200)]
        guess = [draw.random() < 0.5 for _ in range(200)]
        scores = [sum(map(bool.__eq__, truth, guess)) / 200]
        for _ in range(400):
            at = draw.randrange(200)
            guess[at] = not guess[at]
            scores.append(sum(map(bool.__eq__, truth, guess)) / 200)
            if improving(scores, "desc", least, decimals)[-1] != len(scores) - 1:
                guess[at] = not guess[at]
        best = improving(scores, "desc", least, decimals)[-1]
        return rounded(scores[best], decimals)

    assert reached(1e-9, 9) > 0.85
    assert reached(0.02, 2) < 0.6
