"""The verdict: each state, its text, and its agreement with rank intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.statistics import verdicts
from leaderboard.rules.statistics.parts import Floats, TaskParts
from leaderboard.rules.statistics.rank_intervals import rank_intervals
from leaderboard.rules.statistics.verdict_sentences import sentences
from tests.rules.statistics.boards import HOLE, shuffled, small_boards, solving

NAMES = "ABCDEFGHIJ"


def judged(parts: TaskParts, **more: tuple[float, float]) -> verdicts.Verdict:
    """Return the verdict, with the values and ranks that follow from the parts."""
    return verdicts.verdict(
        parts, values=parts.values.tolist(), ranks=parts.ranks().tolist(), **more
    )


def words(verdict: verdicts.Verdict) -> list[str]:
    return [str(sentence) for sentence in sentences(verdict, NAMES, lambda number: f"{number:.2f}")]


def test_a_single_entry_has_its_own_verdict() -> None:
    verdict = judged(solving(20))
    assert verdict.state == "alone"
    assert words(verdict) == ["A is the only ranked entry."]


def test_a_board_without_samples_has_its_own_verdict() -> None:
    verdict = verdicts.verdict(None, values=[221.2, 224.5, 10.0], ranks=[2, 1, 3])
    assert (verdict.state, verdict.leaders, verdict.tasks) == (
        "no_samples",
        (1,),
        0,
    )
    assert verdict.rivals[0].lead == pytest.approx(3.3)
    assert words(verdict) == [
        "B leads with 224.50, 3.30 before A.",
        "Scores come without samples; attempts that are submitted with the samples of their tasks"
        " would show how certain this order is.",
    ]


def test_samples_of_only_one_entry_allow_no_comparison() -> None:
    parts = TaskParts.of_values([[1.0] * 9, [HOLE] * 9])
    assert verdicts.verdict(parts, values=[1.0, 0.5], ranks=[1, 2]).state == "no_samples"
    assert verdicts.verdict(parts, values=[1.0, 2.0], ranks=[2, 1]).state == "no_samples"


def test_too_few_tasks_allow_no_comparison() -> None:
    verdict = judged(solving(5, 0, tasks=5), interval=(0.57, 1.0))
    assert verdict.state == "too_few_tasks"
    assert words(verdict) == [
        "A leads with 1.00 (95%: 0.57 to 1.00, 5 tasks).",
        "5 tasks are too few to tell entries apart.",
        "With more tasks that all have run, entries could be compared.",
    ]


def test_too_few_shared_tasks_allow_no_comparison() -> None:
    """The leader has 40 tasks, but only tasks that both have count."""
    verdict = judged(TaskParts.of_values([[1.0] * 40, [0.5] * 6 + [HOLE] * 34]))
    assert verdict.state == "too_few_tasks"
    assert words(verdict)[1] == "6 tasks are too few to tell entries apart."


def test_8_tasks_are_too_few_for_8_entries_with_0_and_1() -> None:
    """A lead on all 8 tasks has p = 2/256, which 7 comparisons make 0.055."""
    assert judged(solving(8, *[0] * 7, tasks=8)).state == "too_few_tasks"
    assert judged(solving(8, *[0] * 6, tasks=8)).state == "clear_lead"


def test_a_clear_lead_has_its_own_verdict() -> None:
    verdict = judged(solving(30, 18, 2), interval=(0.6, 0.86), bounds=(0, 1))
    assert (verdict.state, verdict.not_told_apart) == ("clear_lead", ())
    first, second = verdict.rivals
    assert (first.entry, first.lead, second.lead) == (1, 0.3, 0.7)
    assert words(verdict) == [
        "A leads with 0.75 (95%: 0.56 to 0.87, 40 tasks).",
        "The lead is clear: 0.30 before B (95%: 0.15 to 0.45).",
        "Differences below about 0.30 cannot be shown with these 40 tasks.",
    ]


def test_some_entries_cannot_be_distinguished_from_the_leader() -> None:
    cases: list[tuple[tuple[int, ...], str]] = [
        ((30, 28, 2), "B cannot be told apart from it."),
        ((30, 28, 27, 2), "B and C cannot be told apart from it."),
        ((30, 28, 27, 26, 2), "B, C and 1 other cannot be told apart from it."),
        ((30, 28, 27, 26, 25, 2), "B, C and 2 others cannot be told apart from it."),
        ((30, 30, 28, 2), "C cannot be told apart from them."),
        ((30, 30, 28, 27, 2), "C and D cannot be told apart from them."),
        ((30, 30, 28, 28, 28, 2), "C, D and 1 other cannot be told apart from them."),
    ]
    for solved, who in cases:
        verdict = judged(solving(*solved))
        assert verdict.state == "not_told_apart", solved
        assert len(verdict.not_told_apart) == len(solved) - 1 - len(verdict.leaders), solved
        assert words(verdict)[1] == who, solved


def test_several_entries_may_lead_together() -> None:
    pair = judged(solving(30, 30, 2))
    assert (pair.state, pair.leaders) == ("not_told_apart", (0, 1))
    assert words(pair)[0] == "A and B lead together with 0.75."
    three = judged(solving(30, 30, 30, 2))
    assert words(three)[0] == "A, B and 1 other lead together with 0.75."
    assert len(words(judged(solving(30, 30)))) == 1


def test_entries_that_ran_different_tasks_are_compared_on_what_both_have() -> None:
    """The first ran only the easy half, on which the second is better."""
    easy = [1.0, 0.9, 0.8, 0.9, 1.0, 0.9, 0.8, 0.9, 1.0, 0.9]
    better = [reward + 0.05 + place / 1000 for place, reward in enumerate(easy)]
    verdict = judged(TaskParts.of_values([easy + [HOLE] * 10, better + [0.1] * 10]))
    assert (verdict.state, verdict.leaders) == ("not_the_same_tasks", (0,))
    assert verdict.rivals[0].is_better
    assert words(verdict)[1] == "But on the 10 tasks that both have, B is better by 0.05."


def test_entries_without_shared_tasks_cannot_be_compared() -> None:
    verdict = judged(TaskParts.of_values([[1.0] * 9 + [HOLE] * 9, [HOLE] * 9 + [0.0] * 9]))
    assert (verdict.state, verdict.rivals[0].lead) == ("not_the_same_tasks", None)
    expected = "It shares fewer than 8 tasks with each other entry, so it cannot be compared."
    assert words(verdict)[1] == expected


def test_entries_with_holes_are_compared_on_what_both_have() -> None:
    verdict = judged(TaskParts.of_values([[1.0] * 40, [HOLE] * 10 + [0.0] * 20 + [1.0] * 10]))
    assert (verdict.state, verdict.rivals[0].shared) == ("clear_lead", 30)
    assert (
        words(verdict)[2] == "Entries are compared on the tasks that both have, at least 30 tasks."
    )


def test_a_lower_value_may_be_better() -> None:
    times = np.random.default_rng(1).normal(10, 1, 20)
    verdict = judged(TaskParts.of_values(np.vstack([times * 2, times]), "asc"))
    assert (verdict.state, verdict.leaders) == ("clear_lead", (1,))
    assert (verdict.rivals[0].lead or 0) == pytest.approx(times.mean())


def test_the_board_decides_who_leads() -> None:
    """Another rank key decides between equal values."""
    parts = solving(30, 30, 2)
    verdict = verdicts.verdict(parts, values=[0.75, 0.75, 0.05], ranks=[2, 1, 3])
    assert (verdict.leaders, verdict.not_told_apart) == ((1,), (0,))
    assert words(verdict)[1] == "A cannot be told apart from it."


def test_a_board_without_entries_has_no_verdict() -> None:
    with pytest.raises(ValueError, match="at least one ranked entry"):
        verdicts.verdict(None, values=[], ranks=[])


@given(small_boards())
def test_a_verdict_never_contradicts_the_rank_intervals(parts: TaskParts) -> None:
    if np.isnan(parts.values).any():
        return
    verdict = judged(parts)
    spans = rank_intervals(parts, seed=1, draws=20)
    leader = spans[verdict.leaders[0]]
    if verdict.state == "clear_lead":
        assert (leader.best, leader.worst) == (1, 1)
    elif leader.worst is not None:
        assert leader.worst >= len(verdict.leaders) + len(verdict.not_told_apart)
    for rival in verdict.rivals:
        if (best := spans[rival.entry].best) is not None:
            assert (best > 1) >= rival.told_apart


def test_a_rank_interval_begins_at_1_unless_the_verdict_says_otherwise() -> None:
    """The first of three is certainly better than the second by its own two comparisons, where
    0.0386 comes last; by those of the second, where 0.0386 comes first, it is not."""
    second = [1.0] * 2 + [0.0] * 10 + [1.0] * 14 + [0.0] * 14
    third = [0.0] * 14 + [1.0] * 13 + [0.0] * 13
    first = [0.0] * 2 + [1.0] * 10 + [1.0] * 14 + [0.0] * 14
    parts = TaskParts.of_values([first, second, third])
    assert [rival.p for rival in judged(parts).rivals] == pytest.approx([0.0386, 0.0068], abs=5e-5)
    spans = [
        (rank_interval.best, rank_interval.worst) for rank_interval in rank_intervals(parts, seed=1)
    ]
    assert judged(parts).state == "clear_lead"
    assert spans == [(1, 1), (2, 3), (2, 3)]


@given(small_boards(), st.randoms())
def test_the_order_of_entries_does_not_matter(parts: TaskParts, dice: np.random.Generator) -> None:
    turned, order = shuffled(parts, dice)
    if np.isnan(parts.values).any():
        return
    in_order, reordered = judged(parts), judged(turned)
    assert {order[row] for row in reordered.leaders} == set(in_order.leaders)
    if len(in_order.leaders) == 1:
        assert reordered.state == in_order.state
        assert {order[row] for row in reordered.not_told_apart} == set(in_order.not_told_apart)
        p = {rival.entry: rival.p for rival in in_order.rivals}
        expected = [p[order[rival.entry]] for rival in reordered.rivals]
        assert [rival.p for rival in reordered.rivals] == pytest.approx(expected)


@given(small_boards())
def test_every_verdict_has_a_text(parts: TaskParts) -> None:
    if not np.isnan(parts.values).any():
        assert all("nan" not in word for word in words(judged(parts)))


# The smallest difference.


def test_the_smallest_difference_of_rewards_is_that_of_students_test() -> None:
    """Student's t for one comparison with 29 degrees of freedom, times the standard error."""
    dice = np.random.default_rng(4)
    values = dice.normal(0, 1, (2, 30))
    smallest = judged(TaskParts.of_values(values)).smallest
    assert smallest is not None
    error = float(np.std(values[0] - values[1], ddof=1)) / math.sqrt(30)
    assert smallest.difference == pytest.approx(2.045229642 * error)
    assert smallest.often == pytest.approx((2.045229642 + 0.841621234) * error)
    assert (smallest.tasks, smallest.comparisons) == (30, 1)


def test_the_smallest_difference_of_0_and_1_is_that_of_mcnemars_test() -> None:
    """The two differ on 11 of 40 tasks. 10 to 1 has p = 0.0117, 9 to 2 has 0.065: 9 is needed."""
    first = [1.0] * 6 + [0.0] * 5 + [1.0] * 29
    second = [0.0] * 6 + [1.0] * 5 + [1.0] * 29
    smallest = judged(TaskParts.of_values([first, second])).smallest
    assert smallest is not None
    assert smallest.difference == pytest.approx(9 / 40)


def test_no_smallest_difference_is_shown_below_six_differing_tasks() -> None:
    """They differ on 2 of 40 tasks. Even all of 5 have p = 0.0625."""
    smallest = judged(solving(30, 28)).smallest
    assert smallest is not None
    assert smallest.difference == pytest.approx(6 / 40)


def test_equal_entries_have_no_smallest_difference() -> None:
    assert judged(TaskParts.of_values([[0.5] * 9, [0.5] * 9])).smallest is None


@given(small_boards())
def test_a_certain_lead_is_never_below_the_smallest_difference(parts: TaskParts) -> None:
    if np.isnan(parts.values).any():
        return
    verdict = judged(parts)
    if verdict.smallest is not None:
        leads = [rival.lead or 0 for rival in verdict.rivals if rival.told_apart]
        assert all(lead >= verdict.smallest.difference - 1e-12 for lead in leads)
        assert verdict.smallest.difference > 0
        assert verdict.smallest.often > 0


def power(difference: float, errors: Floats, tasks: int) -> float:
    """Return the share of drawn boards of two entries in which this true difference is certain."""
    clear_leads = 0
    for noise in errors:
        parts = TaskParts.of_values(np.vstack([noise + difference, np.zeros(tasks)]))
        clear_leads += judged(parts).state == "clear_lead"
    return clear_leads / len(errors)


@pytest.mark.slow
def test_a_difference_of_that_size_is_found_half_of_the_time() -> None:
    """A difference of the size `often` is found in 80 of 100 boards."""
    dice = np.random.default_rng(11)
    tasks, boards = 50, 1500
    smallest = judged(TaskParts.of_values(np.vstack([spread(tasks), np.zeros(tasks)]))).smallest
    assert smallest is not None
    errors = dice.normal(0, 1, (boards, tasks))
    assert power(smallest.difference, errors, tasks) == pytest.approx(0.5, abs=0.05)
    assert power(smallest.often, errors, tasks) == pytest.approx(0.8, abs=0.04)


def spread(tasks: int) -> Floats:
    """Return numbers whose mean is 0 and whose standard deviation is 1."""
    numbers = np.linspace(-1, 1, tasks)
    return np.asarray(numbers / np.std(numbers, ddof=1))
