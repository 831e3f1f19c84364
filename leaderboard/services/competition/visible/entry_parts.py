"""What each task adds to the values of several entries, for each metric that entries share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from leaderboard.columns import Column
from leaderboard.models import ScoringConfig
from leaderboard.rules.rewards.clusters import cluster_numbers
from leaderboard.rules.rewards.evidence import RewardEvidence
from leaderboard.rules.rewards.usage_means import usage_by_task
from leaderboard.rules.statistics.metric_parts import MetricParts, joined_parts, metric_parts
from leaderboard.rules.statistics.parts import TaskParts
from leaderboard.rules.statistics.solved import TaskScale, solved_percentages, task_scale
from leaderboard.rules.texts.value_names import ECONOMICS
from leaderboard.schemas.metrics import MetricSpec, spec_of
from leaderboard.services.board.certainty.board_parts import tasks_by
from leaderboard.services.evaluation.metrics import metric_of

MOST_NUMBERS: Final = 1_000_000
"""Entries × tasks of one metric."""

Evidences = Sequence[RewardEvidence | None]


class EntryParts(NamedTuple):
    """The parts of some entries by one metric. tasks: their names, by column."""

    tasks: list[str]
    parts: TaskParts


def compared_columns(
    config: ScoringConfig, columns: Sequence[Column], evidence: Evidences
) -> list[Column]:
    """The columns whose values are sums over tasks, and the economics that entries report."""
    usage = [rewards for rewards in evidence if rewards is not None]
    return [
        column
        for column in columns
        if metric_of(spec_of(column.key, config.metric_specs)) is not None
        or (
            column.key in ECONOMICS and any(usage_by_task(rewards, column.key) for rewards in usage)
        )
    ]


def entry_parts(config: ScoringConfig, column: Column, evidence: Evidences) -> EntryParts | None:
    """The parts of entries by the metric of a column; None if no entry has any.

    evidence: of each entry, None for one without samples.
    """
    spec = spec_of(column.key, config.metric_specs)
    parts = [
        None if rewards is None else _of_one(column.key, spec, rewards) for rewards in evidence
    ]
    tasks = list(dict.fromkeys(task for entry in parts if entry for task in entry.tasks))
    if not tasks or len(tasks) * len(parts) > MOST_NUMBERS:
        return None
    places = {task: at for at, task in enumerate(tasks)}
    clusters = cluster_numbers(tasks, config.task_clusters)
    return EntryParts(tasks, joined_parts(parts, places, column.direction, clusters))


def solved_by(
    config: ScoringConfig, column: Column, evidence: Sequence[RewardEvidence]
) -> tuple[TaskScale, list[dict[str, int]]] | None:
    """How far each entry solved each task, by the rule of the strips; None if nothing says it."""
    spec = spec_of(column.key, config.metric_specs)
    entries = [tasks for rewards in evidence if (tasks := tasks_by(spec, column.key, rewards))]
    scale = task_scale(column.direction, entries)
    if scale is None or len(entries) < len(evidence):
        return None
    return scale, [solved_percentages(tasks, scale) for tasks in entries]


def _of_one(key: str, spec: MetricSpec | None, evidence: RewardEvidence) -> MetricParts | None:
    if spec is None:
        return _usage_parts(usage_by_task(evidence, key))
    metric = metric_of(spec)
    rewards = dict(spec.keys(evidence.rewards))
    if metric is None or key not in rewards:
        return None
    metric_input = evidence.metric_input(
        rewards[key], failed=spec.failed, undefined=spec.undefined, group=spec.group
    )
    return metric_parts(metric, metric_input)


def _usage_parts(means: Mapping[str, float]) -> MetricParts | None:
    if not means:
        return None
    return MetricParts(list(means), np.array([*means.values()]), np.ones(len(means)))
