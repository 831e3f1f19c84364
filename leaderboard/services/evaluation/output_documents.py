"""The output document of an attempt's evaluation and its log, built from the stored results.

Both contain the metrics that the attempt's document enables; the challenge's other metrics are only
values of the attempt.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from leaderboard.models import Attempt, Evaluation, MetricRun, Score
from leaderboard.rules.rewards.output_documents import (
    Ended,
    OutputEntry,
    error_line,
    log_lines,
    output_entry,
)
from leaderboard.rules.rewards.reductions import MetricError
from leaderboard.services.evaluation.instances import Instances
from leaderboard.services.evaluation.plans import Named, chosen_by_challenge, in_output_document
from leaderboard.services.evaluation.run_columns import shown_runs

BLOCKS_PER_READ = 10


def output_document(
    attempt: Attempt, score: Score, *, sees_config: bool = True, decimals: int | None = None
) -> list[OutputEntry]:
    """An object for each text metric of an attempt's document, under the config of a score.

    Without `sees_config`, metrics that the challenge has chosen lack their parameters. decimals:
    the number of digits to round to; None: do not round.
    """
    named = _named(attempt, score, sees_config, decimals)
    return [output_entry(_ended(named_run, score)) for named_run in named]


def log_of(attempt: Attempt, score: Score, *, sees_config: bool = True) -> Iterator[str]:
    """The log in pieces of some lines, metric by metric, in the order of the instances.

    Reads block by block: memory does not grow with the log.
    """
    ids = list(Instances(attempt.pk, score.config, attempt.phase_id).ids())
    for named in _named(attempt, score, sees_config):
        ended = _ended(named, score)
        if ended.error is not None:
            yield error_line(ended)
        elif _has_results(named.run):
            yield from _lines_of(named, ids)


def ended_of(run: MetricRun, score: Score) -> Ended:
    """How a run ended. A run that the attempt ended without gets the attempt's error."""
    if run.finished_at is None:
        message = score.error_message or "The evaluation was not finished."
        error: MetricError = {"code": score.error_code or "worker_lost", "message": message}
        return Ended(run.given, None, run.elapsed, error)
    if run.error_code:
        error = {"code": run.error_code, "message": run.error_message}
        return Ended(run.given, None, run.elapsed, error)
    numbers = run.score or {}
    return Ended(run.given, {name: numbers[name] for name in run.names}, run.elapsed)


def _named(
    attempt: Attempt, score: Score, sees_config: bool, decimals: int | None = None
) -> list[Named]:
    evaluation, config = Evaluation.objects.get(pk=attempt.pk), score.config
    runs = shown_runs(attempt, config, decimals)
    named = in_output_document(evaluation, config, runs)
    if sees_config:
        return named
    hidden = chosen_by_challenge(evaluation, config, runs)
    return [
        entry._replace(given={**entry.given, "parameters": {}})
        if entry.run.position in hidden
        else entry
        for entry in named
    ]


def _ended(named: Named, score: Score) -> Ended:
    return ended_of(named.run, score)._replace(given=named.given)


def _has_results(run: MetricRun) -> bool:
    """Whether the metric has results for instances, or warnings about them."""
    blocks = run.blocks.order_by("number").iterator(chunk_size=BLOCKS_PER_READ)
    return any(any(map(_says_something, block.rows())) for block in blocks)


def _says_something(row: list[Any]) -> bool:
    return any(cell is not None for cell in row)


def _lines_of(named: Named, ids: list[list[str | int]]) -> Iterator[str]:
    for block in named.run.blocks.order_by("number").iterator(chunk_size=BLOCKS_PER_READ):
        results, warnings = zip(*block.rows(), strict=True)
        yield "".join(log_lines(named.given, ids[block.number], results, warnings))
