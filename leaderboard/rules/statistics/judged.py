"""Rewards that a judge has decided: which samples people label, and the means that follow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from heapq import nsmallest
from itertools import takewhile
from typing import Final, NamedTuple

import numpy as np

from leaderboard.rules.rewards.distributions import student_t
from leaderboard.rules.rewards.evidence import RewardEvidence
from leaderboard.rules.rewards.intervals import independent
from leaderboard.rules.rewards.judged_means import JudgedMean
from leaderboard.rules.rewards.reducible import Reducible
from leaderboard.rules.rewards.reductions import MetricValue
from leaderboard.rules.rewards.samples import number_of, worth_of
from leaderboard.rules.statistics.agreement import krippendorff_alpha
from leaderboard.rules.statistics.parts import Floats
from leaderboard.rules.statistics.prediction_powered import prediction_powered_mean

MEANS: Final = ("mean", "mean_reward", "avg")
"""The metrics that labels correct: means of samples, pooled or task by task."""

Place = tuple[str, int]
"""A sample: its task and its number."""
ByLabeller = Mapping[str, float]
"""The labels of one reward of one sample, by who gave them."""


@dataclass(frozen=True)
class Labelling:
    """Which rewards of an attempt are a judge's, which samples are drawn, and their labels.

    most: how many samples are drawn. attempt: its id, from which, with the seed, the draw follows.
    labels: by sample and reward. certain: samples whose rewards an organiser has decided about, so
    that they need no label.
    """

    rewards: Sequence[str]
    most: int
    seed: str
    attempt: str
    labels: Mapping[tuple[Place, str], ByLabeller] = field(default_factory=dict)
    certain: frozenset[Place] = frozenset()

    def drawn(self, evidence: RewardEvidence, reward: str) -> list[Place]:
        """The samples that people label for a reward, in the order in which they do.

        They are drawn at random from all samples to which the judge has given a number. A larger
        sample begins with a smaller one, and rewards share samples as far as they can.
        """
        if reward not in self.rewards:
            return []
        cells = zip(evidence.samples, evidence.cells(reward), strict=True)
        judged = (
            (sample.task, sample.sample)
            for samples, states in cells
            for sample, cell in zip(samples, states, strict=True)
            if isinstance(cell, float)
        )
        places = (place for place in judged if place not in self.certain)
        return nsmallest(self.most, places, key=self._number)

    def labelled(self, drawn: Iterable[Place], reward: str) -> dict[Place, ByLabeller]:
        """The drawn samples that count: those before the first one without a label.

        A labeller who leaves out what is hard to tell would make the sample one of easy cases.
        """
        places = takewhile(lambda place: self.labels.get((place, reward)), drawn)
        return {place: self.labels[place, reward] for place in places}

    def _number(self, place: Place) -> bytes:
        text = "\0".join((self.seed, self.attempt, place[0], str(place[1])))
        return sha256(text.encode("utf-8", "surrogatepass")).digest()


class _Unit(NamedTuple):
    """A sample in a mean. task: its position. is_judged: whether a label can correct it."""

    place: Place
    task: int
    cluster: int
    value: float
    weight: float
    is_judged: bool


def with_judged(
    values: Mapping[str, MetricValue],
    evidence: RewardEvidence,
    specs: Iterable[Reducible],
    labelling: Labelling,
) -> dict[str, MetricValue]:
    """The metric values, with the corrected means of those that are means of judged rewards."""
    result = dict(values)
    for spec in specs:
        if spec.type not in MEANS or spec.over:
            continue
        for key, reward in spec.keys(evidence.rewards):
            value = values.get(key)
            if reward in labelling.rewards and value is not None and value["value"] is not None:
                judged = judged_mean(evidence, spec, str(reward), labelling)
                result[key] = {**value, "judged": judged}
    return result


def judged_mean(
    evidence: RewardEvidence, spec: Reducible, reward: str, labelling: Labelling
) -> JudgedMean:
    """The mean of a judged reward under its labels, as one metric weighs the samples."""
    units = list(_units(evidence, spec, reward, labelling.certain))
    drawn = labelling.drawn(evidence, reward)
    mine = {unit.place for unit in units if unit.is_judged}
    labels = {
        place: by_whom
        for place, by_whom in labelling.labelled(drawn, reward).items()
        if place in mine
    }
    human = {place: _mean(by_whom.values()) for place, by_whom in labels.items()}
    bounds = evidence.metric_input(
        reward, failed=spec.failed, undefined=spec.undefined, group=spec.group
    ).bounds
    mean, error, interval = _corrected(units, human, bounds)
    return {
        "mean": mean,
        "standard_error": error,
        "interval": interval,
        "labels": len(labels),
        "drawn": sum(place in mine for place in drawn),
        "labellers": len({who for by_whom in labels.values() for who in by_whom}),
        "alpha": krippendorff_alpha([list(by_whom.values()) for by_whom in labels.values()]),
        "agreement": krippendorff_alpha(
            [(unit.value, human[unit.place]) for unit in units if unit.place in human]
        ),
    }


def _corrected(
    units: Sequence[_Unit], human: Mapping[Place, float], bounds: tuple[float, float]
) -> tuple[float | None, float | None, list[float] | None]:
    """The mean, its error and its interval; None if too few independent samples have a label."""
    labelled = [unit for unit in units if unit.place in human]
    clusters = {unit.task: unit.cluster for unit in labelled}
    below = np.array([sum(u.weight for u in labelled if u.task == task) for task in clusters])
    if not labelled or (enough := independent(below, list(clusters.values()))).too_few:
        return None, None, None
    judge = np.array([unit.value for unit in units])
    labels = np.array([human.get(unit.place, math.nan) for unit in units])
    powered = prediction_powered_mean(
        judge,
        labels,
        weights=np.array([unit.weight for unit in units]),
        clusters=np.array([unit.cluster for unit in units]),
        certain=np.array([not unit.is_judged for unit in units]),
        unseen=_range(judge, labels),
    )
    low, high = bounds
    mean = min(max(powered.mean, low), high)
    if powered.standard_error is None:
        return mean, None, None
    reach = student_t(enough.freedom) * powered.standard_error
    return mean, powered.standard_error, [max(low, mean - reach), min(high, mean + reach)]


def _units(
    evidence: RewardEvidence, spec: Reducible, reward: str, certain: frozenset[Place]
) -> Iterator[_Unit]:
    """The samples that a mean is over, with their weights in it."""
    taken = evidence.metric_input(
        reward, failed=spec.failed, undefined=spec.undefined, group=spec.group
    )
    cells = zip(evidence.samples, evidence.cells(reward), strict=True)
    by_task = dict(zip(evidence.tasks, cells, strict=True))
    worth = worth_of(spec.failed, spec.undefined)
    for at, (task, rewards) in enumerate(zip(taken.tasks, taken.task_rewards, strict=True)):
        cluster = taken.clusters[at] if taken.clusters else at
        weight = 1.0 if spec.type == "mean" else 1.0 / max(len(rewards), 1)
        for sample, cell in zip(*by_task[task], strict=True):
            value = number_of(cell, worth)
            if value is None or (spec.failed == "exclude" and sample.rewards is None):
                continue
            place = task, sample.sample
            judged = isinstance(cell, float) and place not in certain
            yield _Unit(place, at, cluster, value, weight, judged)


def _mean(labels: Iterable[float]) -> float:
    numbers = list(labels)
    return sum(numbers) / len(numbers)


def _range(judge: Floats, labels: Floats) -> float:
    """How far apart a judge and people can be, as far as the numbers tell."""
    every = np.concatenate((judge, labels[~np.isnan(labels)]))
    return float(np.ptp(every))
