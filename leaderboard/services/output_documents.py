"""The output document of an attempt's evaluation and its log, read from what is stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from leaderboard.models import Attempt, MetricRun, Score
from leaderboard.rules.output_documents import Ended, error_line, log_lines, output_entry
from leaderboard.rules.reductions import MetricError
from leaderboard.services.instances import Instances
from leaderboard.services.run_columns import shown_runs

BLOCKS_PER_READ = 10


def output_document(attempt: Attempt, score: Score) -> list[dict[str, Any]]:
    """An object for each text metric that was run on an attempt, under the config of a score."""
    return [output_entry(ended_of(run, score)) for run in shown_runs(attempt, score.config)]


def log_of(attempt: Attempt, score: Score) -> Iterator[str]:
    """The log in pieces of some lines, metric by metric, in the order of the instances.

    Read block by block: memory does not grow with it.
    """
    ids = list(Instances(attempt.pk, score.config).ids())
    for run in shown_runs(attempt, score.config):
        ended = ended_of(run, score)
        if ended.error is not None:
            yield error_line(ended)
        elif _has_results(run):
            yield from _lines_of(run, ids)


def ended_of(run: MetricRun, score: Score) -> Ended:
    """The end of a run. One that the attempt has ended without failed as the attempt did."""
    if run.finished_at is None:
        message = score.error_message or "The evaluation was not finished."
        error: MetricError = {"code": score.error_code or "worker_lost", "message": message}
        return Ended(run.given, None, run.elapsed, error)
    if run.error_code:
        error = {"code": run.error_code, "message": run.error_message}
        return Ended(run.given, None, run.elapsed, error)
    numbers = run.score or {}
    return Ended(run.given, {name: numbers[name] for name in run.names}, run.elapsed)


def _has_results(run: MetricRun) -> bool:
    """Whether the metric has results for instances, or anything to say about one."""
    blocks = run.blocks.order_by("number").iterator(chunk_size=BLOCKS_PER_READ)
    return any(any(map(_says_something, block.rows())) for block in blocks)


def _says_something(row: list[Any]) -> bool:
    return any(each is not None for each in row)


def _lines_of(run: MetricRun, ids: list[list[str | int]]) -> Iterator[str]:
    for block in run.blocks.order_by("number").iterator(chunk_size=BLOCKS_PER_READ):
        results, warnings = zip(*block.rows(), strict=True)
        yield "".join(log_lines(run.given, ids[block.number], results, warnings))
