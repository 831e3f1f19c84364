"""Means of judged rewards: against plain formulas, against complete labels, and in simulation."""

from __future__ import annotations

import math
from collections import Counter
from statistics import mean, variance

import numpy as np
import pytest

from leaderboard.rules.rewards.distributions import student_t
from leaderboard.rules.rewards.evidence import RewardEvidence, Sample
from leaderboard.rules.statistics.agreement import krippendorff_alpha
from leaderboard.rules.statistics.judged import Labelling, judged_mean
from leaderboard.rules.statistics.prediction_powered import prediction_powered_mean
from leaderboard.schemas.metrics import MetricSpec, parse_metrics
from tests.rules.rewards_of import values_of

N = math.nan


def spec_of(metric: str) -> MetricSpec:
    return parse_metrics([metric])[0]


def test_independent_samples_have_the_published_formula() -> None:
    dice = np.random.default_rng(1)
    human = dice.integers(0, 2, 60).astype(float)
    judge = np.clip(np.append(human, dice.random(400)) * 0.7 + 0.2 * dice.random(460), 0, 1)
    labels = np.append(human, [N] * 400)
    labelled, unlabelled = judge[:60].tolist(), judge[60:].tolist()
    for tuning in (1.0, 0.4):
        rest = [y - tuning * f for y, f in zip(human.tolist(), labelled, strict=True)]
        powered = prediction_powered_mean(judge, labels, tuning=tuning)
        assert powered.mean == pytest.approx(tuning * mean(unlabelled) + mean(rest), abs=1e-12)
        error = math.sqrt(tuning**2 * variance(unlabelled) / 400 + variance(rest) / 60)
        assert powered.standard_error == pytest.approx(error, abs=1e-12)
    tuned = prediction_powered_mean(judge, labels)
    errors = [
        prediction_powered_mean(judge, labels, tuning=step / 50).standard_error or 0.0
        for step in range(51)
    ]
    assert tuned.standard_error == pytest.approx(min(errors), rel=0.02)


def test_repeats_in_a_cluster_tell_nothing_new() -> None:
    dice = np.random.default_rng(2)
    judge, human = dice.random(50), np.append(dice.random(12), [N] * 38)
    once = prediction_powered_mean(judge, human, tuning=0.8)
    clusters = np.tile(np.arange(50), 3)
    thrice = prediction_powered_mean(
        np.tile(judge, 3), np.tile(human, 3), clusters=clusters, tuning=0.8
    )
    assert thrice == pytest.approx(once)


def test_alpha_is_that_of_the_published_example() -> None:
    """Krippendorff 2011, example C: four people, twelve units."""
    people = (
        (1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0),
        (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3),
        (0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0),
        (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0),
    )
    units = [[label for label in unit if label] for unit in zip(*people, strict=True)]
    assert krippendorff_alpha(units) == pytest.approx(0.849, abs=5e-4)
    assert krippendorff_alpha([[1, 1], [1]]) is None


EVIDENCE = RewardEvidence(
    Sample(f"t{task}", number, None if task == 3 else {"r": (task * 7 + number * 3) % 5 / 4})
    for task in range(12)
    for number in range(1 + task % 3)
)
EVERY = [(row.task, row.sample) for rows in EVIDENCE.samples for row in rows if row.rewards]


def test_the_draw_is_uniform_and_larger_ones_contain_smaller_ones() -> None:
    counts: Counter[tuple[str, int]] = Counter()
    for attempt in range(2000):
        small, large = (
            Labelling(["r"], most, "spring", str(attempt)).drawn(EVIDENCE, "r") for most in (5, 9)
        )
        assert large[:5] == small
        counts.update(small)
    expected = 2000 * 5 / len(EVERY)
    assert set(counts) == set(EVERY)
    chi = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi < 2 * len(EVERY)
    other = Labelling(["r"], 5, "autumn", "0").drawn(EVIDENCE, "r")
    assert other != Labelling(["r"], 5, "spring", "0").drawn(EVIDENCE, "r")


@pytest.mark.parametrize("metric", ["mean", "mean_reward"])
def test_labels_of_every_sample_replace_the_judge(metric: str) -> None:
    """The failed samples still count 0, and two people's labels are averaged."""
    labels_by_place = {place: {"a": at % 3 / 2, "b": 1.0} for at, place in enumerate(EVERY)}
    labelling = Labelling(
        ["r"], 99, "", "1", {(place, "r"): labels for place, labels in labels_by_place.items()}
    )
    judged = judged_mean(EVIDENCE, spec_of(metric), "r", labelling)
    replaced = RewardEvidence(
        row._replace(
            rewards=row.rewards and {"r": mean(labels_by_place[row.task, row.sample].values())}
        )
        for rows in EVIDENCE.samples
        for row in rows
    )
    computed = values_of(replaced, metric)[metric]
    assert judged["mean"] == pytest.approx(computed["value"], abs=1e-12)
    assert judged["standard_error"] == pytest.approx(computed["standard_error"], rel=0.1)
    assert (judged["labels"], judged["labellers"]) == (len(EVERY), 2)


def test_labels_count_up_to_the_first_gap() -> None:
    drawn = Labelling(["r"], 12, "", "1").drawn(EVIDENCE, "r")
    labels = {(place, "r"): {"a": 1.0} for place in drawn if place != drawn[8]}
    judged = judged_mean(EVIDENCE, spec_of("mean"), "r", Labelling(["r"], 12, "", "1", labels))
    assert (judged["labels"], judged["drawn"]) == (8, 12)
    assert judged["interval"] is not None
    few = {(place, "r"): {"a": 1.0} for place in drawn[:3]}
    alone = judged_mean(EVIDENCE, spec_of("mean"), "r", Labelling(["r"], 12, "", "1", few))
    assert (alone["labels"], alone["mean"]) == (3, None)
    ruled = Labelling(["r"], 12, "", "1", labels, frozenset({drawn[0]}))
    assert drawn[0] not in ruled.drawn(EVIDENCE, "r")


@pytest.mark.slow
@pytest.mark.parametrize("labels", [10, 20, 50])
@pytest.mark.parametrize("wrong", [0.05, 0.15, 0.4])
def test_intervals_cover_the_truth_of_a_lenient_judge(labels: int, wrong: float) -> None:
    """The judge passes some of what people fail; its own interval covers 0 to 88 %."""
    dice = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        truth = (dice.random(400) < 0.62).astype(float)
        judge = np.where(dice.random(400) < wrong, 1.0, truth)
        human = np.full(400, N)
        chosen = dice.permutation(400)[:labels]
        human[chosen] = truth[chosen]
        powered = prediction_powered_mean(judge, human, unseen=1.0)
        reach = student_t(labels - 1) * (powered.standard_error or 0.0)
        covered += abs(powered.mean - 0.62) <= reach
    assert covered >= 0.93 * 400
