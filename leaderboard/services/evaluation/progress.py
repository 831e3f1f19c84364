"""How far the evaluation of an attempt is, in instances times metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple
from uuid import UUID

from django.db.models import Sum

from leaderboard.models import Attempt, Evaluation, MetricRun, ResultBlock
from leaderboard.services.evaluation.plans import new_runs


class EvaluationProgress(NamedTuple):
    """The progress of an evaluation. `by_run`: the number of finished instances of each run."""

    done: int
    total: int
    by_run: Sequence[int]


def progress_of_each(attempts: Iterable[Attempt]) -> dict[UUID, EvaluationProgress]:
    """The progress of attempts under their own configs, by id, in a fixed number of queries.

    Attempts without instances have none.
    """
    evaluated = {attempt.pk: attempt for attempt in attempts if attempt.instance_count is not None}
    if not evaluated:
        return {}
    runs_by_attempt: dict[UUID, list[MetricRun]] = {pk: [] for pk in evaluated}
    for run in MetricRun.objects.filter(evaluation__in=evaluated).only(*_READ):
        if run.config_id == evaluated[run.evaluation_id].scoring_config_id:
            runs_by_attempt[run.evaluation_id].append(run)
    missing = Evaluation.objects.filter(
        pk__in=[pk for pk in runs_by_attempt if not runs_by_attempt[pk]]
    )
    for evaluation in missing:
        runs_by_attempt[evaluation.pk] = new_runs(
            evaluation, evaluated[evaluation.pk].scoring_config
        )
    stored = _stored(chain.from_iterable(runs_by_attempt.values()))
    return {pk: _progress(evaluated[pk], runs, stored) for pk, runs in runs_by_attempt.items()}


_READ = ("evaluation_id", "config_id", "position", "finished_at")


def _stored(runs: Iterable[MetricRun]) -> dict[int, int]:
    """The number of instances that each unfinished run has stored, by the run's id."""
    unfinished = [run.pk for run in runs if run.pk and run.finished_at is None]
    if not unfinished:
        return {}
    blocks = ResultBlock.objects.filter(run__in=unfinished).values("run")
    return dict(blocks.annotate(done=Sum("count")).values_list("run", "done"))


def _progress(
    attempt: Attempt, runs: Sequence[MetricRun], stored: Mapping[int, int]
) -> EvaluationProgress:
    count = attempt.instance_count or 0
    by_run = [count if run.finished_at else stored.get(run.pk, 0) for run in runs]
    return EvaluationProgress(sum(by_run), count * len(runs), by_run)
