"""p values compared with SciPy 1.17.1 and with fractions, and Holm's correction step by step."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.rewards.distributions import student_t
from leaderboard.rules.statistics.probabilities import holm, mcnemar_p, student_p


def test_students_p_values_equal_scipys() -> None:
    cases: list[tuple[float, int, float]] = [
        # 2 * scipy.stats.t.sf(t, freedom)
        (0.5, 7, 0.632407135689),
        (2.0, 7, 0.085619328563),
        (4.5, 7, 0.00279833007784),
        (0.5, 49, 0.61931318621),
        (2.0, 49, 0.0510591482574),
        (4.5, 49, 4.19256849651e-05),
        (0.5, 5000, 0.617097080854),
        (2.0, 5000, 0.0455542599883),
        (4.5, 5000, 6.94951065559e-06),
    ]
    for t, freedom, p in cases:
        p_values = student_p(np.array([t, -t]), np.array([freedom, freedom]))
        assert p_values == pytest.approx([p, p], abs=2e-8), (t, freedom)


def test_students_p_value_and_quantile_are_inverse() -> None:
    for freedom in (7, 8, 19, 20, 49, 499, 1000, 1001, 9999):
        for tail in (0.05, 0.05 / 8, 0.05 / 499):
            t = student_t(freedom, tail)
            assert student_p(np.array([t]), np.array([freedom])) == pytest.approx(
                [tail], abs=3e-8
            ), (freedom, tail)


def test_students_p_value_is_1_without_a_difference_and_0_at_infinity() -> None:
    assert student_p(np.array([0.0, math.inf]), np.array([9, 9])).tolist() == [1.0, 0.0]


def test_mcnemars_p_value_equals_a_published_one() -> None:
    assert mcnemar_p(np.array([15]), np.array([5]))[0] == pytest.approx(0.0413895, abs=5e-8)
    assert mcnemar_p(np.array([15]), np.array([5]))[0] == pytest.approx(0.04138946533203125)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=9))
def test_mcnemars_p_value_is_exact(pairs: list[tuple[int, int]]) -> None:
    first, second = np.array(pairs).T
    expected = [float(in_fractions(*pair)) for pair in pairs]
    assert mcnemar_p(first, second) == pytest.approx(expected, rel=1e-11)


def test_mcnemars_p_value_is_exact_for_many_tasks() -> None:
    cases: list[tuple[int, int]] = [(480, 560), (2600, 2450), (1, 3000)]
    for first, second in cases:
        expected = float(in_fractions(first, second))
        assert mcnemar_p(np.array([first]), np.array([second])) == pytest.approx(
            [expected], rel=1e-10
        ), (first, second)


def in_fractions(first: int, second: int) -> Fraction:
    total = first + second
    ways = tail = 1
    for heads in range(1, min(first, second) + 1):
        ways = ways * (total - heads + 1) // heads
        tail += ways
    return min(Fraction(1), Fraction(2 * tail, 2**total))


def test_holms_correction_equals_one_by_hand() -> None:
    """0.01 of four becomes 0.04; 0.02 of three 0.06; 0.025 would be less, so 0.06, too."""
    p = np.array([[0.02, 0.01, math.nan, 0.9, 0.025]])
    expected = [[0.06, 0.04, math.nan, 0.9, 0.06]]
    assert holm(p) == pytest.approx(np.array(expected), nan_ok=True)


P_VALUES = st.one_of(st.floats(0, 1), st.just(math.nan), st.sampled_from([0.0, 0.01, 0.05, 1.0]))


@given(st.lists(P_VALUES, max_size=8), st.randoms())
def test_holms_correction_equals_its_definition_in_any_order(
    p: list[float], dice: np.random.Generator
) -> None:
    assert holm(np.array(p)) == pytest.approx(one_by_one(p), nan_ok=True)
    order = list(range(len(p)))
    dice.shuffle(order)
    shuffled = holm(np.array([p[place] for place in order]))
    expected = holm(np.array(p))
    assert shuffled == pytest.approx(np.array([expected[i] for i in order]), nan_ok=True)


def one_by_one(p: list[float]) -> list[float]:
    """Compute Holm's steps, down the sorted list."""
    places = sorted((value, place) for place, value in enumerate(p) if not math.isnan(value))
    corrected, so_far = [math.nan] * len(p), 0.0
    for step, (value, place) in enumerate(places):
        so_far = max(so_far, min(1.0, value * (len(places) - step)))
        corrected[place] = so_far
    return corrected
