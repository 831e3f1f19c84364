"""Two attempts, compared metric by metric on the tasks that both have, as far as a reader sees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from django.utils.translation import gettext as _

from leaderboard.columns import Column
from leaderboard.models import Attempt, Challenge, Evidence
from leaderboard.rules.rewards.evidence import RewardEvidence
from leaderboard.rules.statistics.entry_comparisons import MetricComparison, compare_metrics
from leaderboard.rules.statistics.parts import TaskParts
from leaderboard.rules.statistics.smallest_difference import Spread, smallest_difference
from leaderboard.services.board.reading.ranking import columns_of
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.compared_files import (
    check_comparable,
    compares_files,
    file_metrics,
)
from leaderboard.services.competition.visible.entry_parts import compared_columns, entry_parts
from leaderboard.services.competition.visible.samples import MOST_SAMPLES
from leaderboard.services.errors import ServiceError, invalid

MOST_TASKS: Final = 50
"""The most tasks with different values that are listed."""


class PairedTask(NamedTuple):
    """A task on which two attempts have different values."""

    task: str
    first: float
    second: float


class PairedMetric(NamedTuple):
    """A metric of two attempts. first, second: its values over the shared tasks.

    smallest: the smallest difference that these tasks can show; None without any variance between
    them. tasks: those with different values, the largest difference first; at most `MOST_TASKS`.
    """

    column: Column
    first: float | None
    second: float | None
    compared: MetricComparison
    smallest: float | None
    tasks: list[PairedTask]


def compare_attempts(
    challenge: Challenge, first: Attempt, second: Attempt, access: Access
) -> list[PairedMetric]:
    """The metrics of two attempts that are sums over tasks, and what the attempts used.

    By the shown version of the scoring, those that the board ranks by first. The p values are
    corrected for all metrics together. Files of predictions are compared on public rows, which
    take the place of tasks. Raises ServiceError: see `visible_samples`.
    """
    if compares_files(challenge.shown):
        return _compared_files(challenge, first, second, access)
    evidence = [
        visible_samples(challenge, name, attempt, access)
        for name, attempt in (("first", first), ("second", second))
    ]
    return compare_samples(challenge, evidence)


def _compared_files(
    challenge: Challenge, first: Attempt, second: Attempt, access: Access
) -> list[PairedMetric]:
    """The metrics of two files of predictions. Raises ServiceError."""
    for name, attempt in (("first", first), ("second", second)):
        check_comparable(name, attempt, access)
    (metrics,) = file_metrics(challenge, columns_of(challenge), [first, second])
    return [
        PairedMetric(metric.column, metric.first, metric.second, metric.compared, None, [])
        for metric in metrics
    ]


def compare_samples(challenge: Challenge, evidence: Sequence[RewardEvidence]) -> list[PairedMetric]:
    """The metrics of two attempts. evidence: their samples under the shown version."""
    config = challenge.shown
    columns = compared_columns(config, columns_of(challenge), evidence)
    parts = {
        column.key: (column, entries)
        for column in columns
        if (entries := entry_parts(config, column, evidence)) is not None
    }
    comparisons = compare_metrics({key: entries.parts for key, (_, entries) in parts.items()})
    return [
        _metric(column, entries.parts, entries.tasks, comparisons[key])
        for key, (column, entries) in parts.items()
    ]


def visible_samples(
    challenge: Challenge, name: str, attempt: Attempt, access: Access
) -> RewardEvidence:
    """The samples of an attempt that count in its phase. name: of the field that names it.

    Raises ServiceError: `permission_denied` with the reason if the reader does not see them,
    `invalid` if there are none or too many.
    """
    if not access.sees_evidence(attempt):
        raise ServiceError("permission_denied", _hidden(name, attempt, access))
    count = attempt.sample_count or 0
    if not 0 < count <= MOST_SAMPLES:
        text = _("must be an attempt with 1 to {most} samples; got one with {count}")
        raise invalid(name, text.format(most=MOST_SAMPLES, count=count))
    evidence = Evidence.objects.only("samples").get(pk=attempt.pk)
    config = challenge.shown
    return evidence.under(config, config.counts(attempt.phase_id))


def _hidden(name: str, attempt: Attempt, access: Access) -> str:
    """Why the reader does not see the samples of an attempt."""
    if access.freeze_of(attempt) is not None:
        return _("{name}: this attempt was submitted after the board was frozen.").format(name=name)
    if not access.view(attempt.phase_id).is_exact:
        text = _("{name}: scores are not shown exactly in the phase of this attempt.")
        return text.format(name=name)
    return _("{name}: the scores of this attempt are hidden from you.").format(name=name)


def _metric(
    column: Column, parts: TaskParts, tasks: Sequence[str], compared: MetricComparison
) -> PairedMetric:
    both = parts.has.all(axis=0)
    values = TaskParts(parts.above[:, both], parts.below[:, both]).values
    first, second = (None if np.isnan(value) else float(value) for value in values)
    listed = list(_differing(tasks, parts, compared))
    return PairedMetric(column, first, second, compared, _smallest(compared), listed)


def _differing(
    tasks: Sequence[str], parts: TaskParts, compared: MetricComparison
) -> Iterator[PairedTask]:
    first, second = parts.task_values
    for at in compared.differing[:MOST_TASKS]:
        yield PairedTask(tasks[at], float(first[at]), float(second[at]))


def _smallest(compared: MetricComparison) -> float | None:
    """The smallest difference that is significant with this variance between the tasks."""
    one = compared.comparison
    if one.p is None or one.difference is None or not one.standard_error:
        return None
    spread = Spread(
        one.shared,
        abs(one.difference),
        one.standard_error,
        are_shares=one.test == "mcnemar",
        freedom=(one.clusters or one.shared) - 1.0,
    )
    smallest = smallest_difference([spread], 1)
    return smallest.difference if smallest else None


def metric_json(metric: PairedMetric) -> Mapping[str, object]:
    """A compared metric as the API shows it."""
    column, compared, one = metric.column, metric.compared, metric.compared.comparison
    ratio = compared.ratio
    return {
        "key": column.key,
        "label": column.label,
        "unit": column.unit,
        "direction": column.direction,
        "first": metric.first,
        "second": metric.second,
        "shared": one.shared,
        "difference": one.difference,
        "standard_error": one.standard_error,
        "interval": one.interval,
        "p": compared.corrected,
        "test": one.test,
        "better": compared.better,
        "only_first": one.only_first,
        "only_second": one.only_second,
        "ratio": None if ratio is None else ratio.value,
        "ratio_interval": None if ratio is None else ratio.interval,
        "smallest_difference": metric.smallest,
        "differing": len(compared.differing),
        "tasks": [task._asdict() for task in metric.tasks],
    }
