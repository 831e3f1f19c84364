"""What an attempt's page says of the instances that it brought."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest

from leaderboard.columns import Column
from leaderboard.models import Attempt, Evaluation, MetricRun, ScoringConfig
from leaderboard.pages import labels
from leaderboard.pages.instances import instance_table
from leaderboard.pages.metric_runs import run_lines
from leaderboard.services.attempts.read import Reading
from leaderboard.services.attempts.visibility import may_see_config
from leaderboard.services.evaluation.instances import may_see_references
from leaderboard.services.evaluation.plans import chosen_by_challenge, in_output_document
from leaderboard.services.evaluation.progress import EvaluationProgress
from leaderboard.services.evaluation.run_columns import shown_runs
from leaderboard.services.evaluation.tables import result_keys


def evaluation_of(request: HttpRequest, reading: Reading, columns: list[Column]) -> dict[str, Any]:
    """The text metrics of an attempt, and its instances for users who may see them.

    Nothing for an attempt without instances; the instances once it is scored.
    """
    attempt, config = reading.attempt, reading.config
    if attempt.instance_count is None:
        return {}
    by_key = {column.key: column for column in columns}
    runs = shown_runs(attempt, config)
    done = reading.progress.by_run if reading.progress else [0] * len(runs)
    waiting = [_how_far(each, attempt.instance_count) for each in done]
    is_open = may_see_references(request.user, attempt, organiser=reading.organiser)
    found: dict[str, Any] = {
        "runs": run_lines(runs, by_key, reading.score, waiting, _hidden(reading, runs)),
        "instances_open": is_open,
        "details": _details(runs) if reading.organiser else [],
        "output_document": _output_document(attempt, config, runs),
    }
    if reading.progress:
        found["progress"] = _in_words(reading.progress)
    elif is_open:
        keys = result_keys(runs, by_key)
        found["instances"] = instance_table(request, attempt, config, keys)
    return found


def _output_document(attempt: Attempt, config: ScoringConfig, runs: Sequence[MetricRun]) -> str:
    """Which of the runs the output document holds, in words; "" if it holds all of them."""
    evaluation = Evaluation.objects.defer("extra").get(pk=attempt.pk)
    held = {named.run.position for named in in_output_document(evaluation, config, runs)}
    if len(held) == len(runs):
        return ""
    count = labels.count(len(held), "text metric") if held else "no text metric"
    return f"It holds {count}: what the attempt’s document enables."


def _hidden(reading: Reading, runs: Sequence[MetricRun]) -> set[int]:
    """The positions of the runs whose parameters the reader may not see."""
    challenge = reading.attempt.challenge
    if may_see_config(None, challenge, organiser=reading.organiser):
        return set()
    evaluation = Evaluation.objects.defer("extra").get(pk=reading.attempt.pk)
    return chosen_by_challenge(evaluation, reading.config, runs)


def _in_words(progress: EvaluationProgress) -> dict[str, Any]:
    return {
        "done": progress.done,
        "total": progress.total,
        "done_text": f"{progress.done:,}",
        "total_text": f"{progress.total:,}",
    }


def _how_far(done: int, count: int) -> str:
    return f"{done:,} of {labels.count(count, 'instance')}" if done else "Not begun yet"


def _details(runs: Sequence[MetricRun]) -> list[tuple[str, str]]:
    """Tracebacks of runs that failed, for the organiser."""
    return [(run.key, run.error_detail) for run in runs if run.error_code and run.error_detail]
