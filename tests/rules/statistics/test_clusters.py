"""Tasks that are repeats of one source: errors, comparisons, ranks and verdicts over clusters.

The expected numbers were computed with fractions, one cluster after the other, and the p value by
Simpson's rule.
"""

from __future__ import annotations

import numpy as np
import pytest

from leaderboard.rules.ranking.places import RankKey
from leaderboard.rules.ranking.records import records
from leaderboard.rules.rewards.clusters import cluster_numbers
from leaderboard.rules.rewards.evidence import DeclaredTask
from leaderboard.rules.rewards.intervals import estimate, mean_estimate
from leaderboard.rules.statistics.clustering import intraclass_correlation, suggested_clusters
from leaderboard.rules.statistics.comparisons import compare
from leaderboard.rules.statistics.leader_intervals import leader_interval
from leaderboard.rules.statistics.parts import Counts, Floats, TaskParts
from leaderboard.rules.statistics.rank_intervals import rank_intervals
from leaderboard.rules.statistics.record_tests import record_test
from leaderboard.rules.statistics.tasks import discriminations
from leaderboard.rules.statistics.verdicts import verdict
from scorers.metrics.registry import shipped
from tests.rules.rewards_of import of_task_rewards

SIZES = [5, 4, 4, 3, 3, 2, 2, 2, 1, 1]
GROUPS: Counts = np.repeat(np.arange(10), SIZES)
FIRST = [2, 1, 3, 0, 0, 4, 0, 2, 4, 0, 4, 1, 0, 0, 3, 3, 0, 1, 0, 4, 3, 0, 4, 0, 1, 4, 0]
SECOND = [4, 4, 3, 0, 1, 0, 4, 1, 2, 3, 1, 4, 0, 4, 2, 4, 1, 0, 4, 4, 1, 2, 0, 4, 0, 4, 0]
UNEQUAL = [231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1]
"""Sizes of the repositories of a known benchmark of 500 issues."""


def clustered(values: Floats, groups: Counts) -> TaskParts:
    parts = TaskParts.of_values(values)
    return TaskParts(parts.above, parts.below, clusters=groups)


PAIR = clustered(np.array([FIRST, SECOND], dtype=float), GROUPS)


def test_a_value_has_the_error_of_its_clusters() -> None:
    estimated = mean_estimate(FIRST, clusters=GROUPS.tolist())
    assert (estimated.n, estimated.clusters, estimated.method) == (27, 10, "t")
    assert estimated.standard_error == pytest.approx(0.3106591266842803, abs=1e-12)
    few = mean_estimate(FIRST, clusters=(GROUPS // 2).tolist())
    assert (few.clusters, few.interval, few.interval_reason) == (5, None, "few_groups")
    unequal = np.repeat(np.arange(9), [90, *[1] * 8]).tolist()
    assert mean_estimate([0.0, 1.0] * 49, clusters=unequal).interval_reason == "few_groups"


def test_two_entries_are_compared_by_clusters() -> None:
    comparison = compare(PAIR)
    assert comparison.standard_error == pytest.approx(0.33483497845202953, abs=1e-12)
    assert comparison.p == pytest.approx(0.19250142237851042, abs=1e-7)
    assert (comparison.clusters, comparison.shared, comparison.test) == (10, 27, "t")


def test_holes_and_complete_boards_agree() -> None:
    """A task that only one entry has changes nothing."""
    values = np.array([[*FIRST, 3.0], [*SECOND, np.nan]])
    holed, expected = compare(clustered(values, np.append(GROUPS, 3))), compare(PAIR)
    assert (holed.p, holed.standard_error) == pytest.approx((expected.p, expected.standard_error))


def test_clusters_of_single_tasks_are_tasks() -> None:
    parts = TaskParts.of_values(np.random.default_rng(1).random((6, 30)))
    alone = TaskParts(parts.above, parts.below, clusters=np.arange(30))
    ours, theirs = rank_intervals(alone, seed=1, draws=50), rank_intervals(parts, seed=1, draws=50)
    assert ours == theirs


def test_few_groups_have_no_verdict() -> None:
    values = np.tile([[1.0] * 40, [0.0] * 40], 1)
    parts = clustered(values, np.arange(40) % 7)
    board_verdict = verdict(parts, values=[1.0, 0.0], ranks=[1, 2])
    assert (board_verdict.state, board_verdict.clusters) == ("few_groups", 7)
    assert {interval.reason for interval in rank_intervals(parts, seed=1)} == {"few_groups"}


def test_declared_clusters_reach_every_metric() -> None:
    declared = [DeclaredTask(f"t{at}", cluster=f"c{at // 2}") for at in range(20)]
    rewards = {task.name: [float(at % 3 == 0)] for at, task in enumerate(declared)}
    given = of_task_rewards(rewards, declared).metric_input("reward")
    assert list(given.clusters) == [at // 2 for at in range(20)]
    for name in ("mean", "pass@1", "sum", "max"):
        metric = shipped().get(name)()
        estimated = estimate(metric, given.task_rewards, None, given.bounds, given.clusters)
        assert estimated.clusters in (10, None), name
        assert estimated.method != "wilson", name


def test_clusters_are_numbered_and_suggested() -> None:
    assert cluster_numbers(["a", "b", "c"], {"a": "x", "c": "x"}) == [0, 1, 0]
    assert cluster_numbers(["a", "b"], {"a": "x", "b": "y"}) == []
    cases = {
        ("django__1", "django__2", "sympy__1", "sympy__2"): {"django", "sympy"},
        ("berth-1", "berth-2", "ledger-1", "ledger-2"): {"berth", "ledger"},
        ("task-1", "task-2", "task-3"): set(),
        ("a", "b", "c/d", "c/e"): set(),
    }
    for names, expected in cases.items():
        assert set(suggested_clusters(names).values()) == expected


def test_the_intraclass_correlation_says_how_alike_the_tasks_of_a_cluster_are() -> None:
    same = clustered(np.array([[1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]]), np.arange(8) // 2)
    assert intraclass_correlation(same) == pytest.approx(1.0)
    apart = clustered(np.array([[1.0, 0.0] * 4]), np.arange(8) // 2)
    assert intraclass_correlation(apart) == pytest.approx(-1.0)


def test_a_task_is_compared_with_tasks_of_other_clusters() -> None:
    dice = np.random.default_rng(5)
    values = dice.random((6, 4))
    values[:, 1] = values[:, 0]
    has = np.ones(values.shape, dtype=bool)
    ours, _ = discriminations(values, has, np.array([0, 0, 1, 2]))
    rest = values[:, 2:] - values[:, 2:].mean(axis=0)
    expected = np.corrcoef(values[:, 0], rest.mean(axis=1))[0, 1]
    assert ours[0] == pytest.approx(expected)


def test_the_interval_of_a_leader_is_wider_with_more_entries() -> None:
    parts = TaskParts.of_values([[1.0] * 37 + [0.0] * 13])
    assert leader_interval(parts, 0, 10, (0.0, 1.0)) == pytest.approx(
        (0.542762, 0.872191), abs=1e-6
    )
    alone = leader_interval(PAIR, 0, 1, (-np.inf, np.inf))
    assert alone == pytest.approx(mean_estimate(FIRST, clusters=GROUPS.tolist()).interval)
    assert leader_interval(TaskParts.of_values([[1.0] * 9]), 0, 2, (0.0, 2.0)) is None


def test_a_record_is_certainly_better_on_the_same_tasks() -> None:
    solved = np.array([[1.0] * 10 + [0.0] * 20, [1.0] * 30, [1.0] * 11 + [0.0] * 19])
    parts = TaskParts.of_values(solved)
    assert record_test(parts, 1, 0).is_certain
    assert not record_test(parts, 2, 0).is_certain
    assert not record_test(parts, 0, 1).is_certain
    solved[1, :10] = np.nan
    assert not record_test(TaskParts.of_values(solved), 1, 0).is_certain


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [[5] * 20, UNEQUAL])
def test_equal_leaders_among_clusters_rarely_have_a_clear_lead(sizes: list[int]) -> None:
    """Two equal leaders before four weak ones, with effects of each cluster on each entry."""
    dice, groups = np.random.default_rng(42), np.repeat(np.arange(len(sizes)), sizes)
    skill = np.array([1.0, 1.0, -1.0, -1.0, -1.0, -1.0])[:, np.newaxis]
    wrong = 0
    for _ in range(1000):
        logits = skill - 1.2 * dice.standard_normal(groups.size)
        logits = logits + 1.5 * dice.standard_normal((6, len(sizes)))[:, groups]
        values = (dice.random(logits.shape) < 1 / (1 + np.exp(-logits))).astype(float)
        parts = clustered(values, groups)
        board_verdict = verdict(parts, values=parts.values.tolist(), ranks=parts.ranks().tolist())
        wrong += board_verdict.state == "clear_lead"
    assert wrong <= 65


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [50, 500])
def test_equal_arrivals_rarely_set_a_record(tasks: int) -> None:
    dice, key, boards, plain = np.random.default_rng(7), RankKey("mean", "desc"), 0, 0
    for _ in range(400):
        chances = 1 / (1 + np.exp(-1.2 * dice.standard_normal(tasks)))
        parts = TaskParts.of_values((dice.random((50, tasks)) < chances).astype(float))
        best = records(parts.values.tolist(), key)
        plain += len(best) > 1
        pairs = zip(best[1:], best[:-1], strict=True)
        boards += any(record_test(parts, new, old).is_certain for new, old in pairs)
    assert plain >= 0.95 * 400
    assert boards <= 0.065 * 400
