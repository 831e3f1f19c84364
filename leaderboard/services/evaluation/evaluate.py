"""Evaluate the instances of an attempt, and store each block soon after it is computed.

A killed evaluation continues after the stored blocks. If other attempts wait, the worker gives the
attempt back, and a worker continues with it later. Blocks that a worker stored shortly before it
lost its lease are valid: a block has the same result whichever worker computes it.
"""

from __future__ import annotations

import logging
import time
from contextlib import closing
from functools import partial
from typing import Any, cast

from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError
from django.db.models import Max
from django.db.models.functions import Now

from leaderboard.models import Evaluation, MetricRun, ResultBlock, ScoringConfig
from leaderboard.rules.json.packing import packed, unpacked
from leaderboard.rules.rewards.reductions import MetricValue
from leaderboard.rules.rewards.text_values import BlockScore, Piece, RunningScore, error_values
from leaderboard.sandbox import Failure, PluginDescription, SandboxError
from leaderboard.services.challenge_code.packages import package_of
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore
from leaderboard.services.evaluation.instances import Instances
from leaderboard.services.evaluation.plans import board_names, finished_run_like, runs_of
from leaderboard.services.evaluation.runs import EndOfRun, Scored, in_blocks, steps
from leaderboard.services.evaluation.time_slices import TimeSlice, TimeSliceOver
from leaderboard.services.plugins.tenants import may_use, not_yours
from leaderboard.services.plugins.text_metrics import (
    TextMetricsAway,
    UnknownTextMetric,
    metric_that_computes,
)
from leaderboard.services.transactions import retried

logger = logging.getLogger(__name__)

SECONDS_PER_STORE = 0.5

BLOCKS_PER_STATEMENT = 20
ENDED = ("score", "names", "value", "error_code", "error_message", "error_detail", "elapsed")
"""The fields of a run that are set when it ends."""


def evaluated(
    config: ScoringConfig, attempt: AttemptToScore, time_slice: TimeSlice
) -> AttemptToScore:
    """Return the attempt with the values of the challenge's text metrics, if it has instances.

    Raises TimeSliceOver and LeaseLost, and SandboxError if this host cannot run plugins. A metric
    that fails raises nothing: the error is stored as its value. Without values if the account is
    deleted meanwhile.
    """
    if attempt.instance_count is None:
        return attempt
    try:
        values = _values(config, attempt, time_slice)
    except (ObjectDoesNotExist, IntegrityError):
        if Evaluation.objects.filter(pk=attempt.pk).exists():
            raise
        return attempt
    return attempt._replace(metric_values={**attempt.metric_values, **values})


def _values(
    config: ScoringConfig, attempt: AttemptToScore, time_slice: TimeSlice
) -> dict[str, MetricValue]:
    """The values of the challenge's text metrics, after running those that are not finished."""
    evaluation = Evaluation.objects.get(pk=attempt.pk)
    instances = Instances(attempt.pk, config, attempt.phase_id)
    names = board_names(config)
    values: dict[str, MetricValue] = {}
    for run in runs_of(evaluation, config):
        if run.finished_at is None:
            finished = finished_run_like(run, config, attempt.phase_id)
            if finished is not None:
                _take_over(run, finished, time_slice)
            else:
                _work_on(run, instances, config, time_slice)
        if run.key in names:
            values |= run.value or {}
    return values


def forget_failed_runs(evaluation_id: Any) -> None:
    """Let failed text metrics run again when the attempt is retried."""
    failed = MetricRun.objects.filter(evaluation=evaluation_id).exclude(error_code="")
    ResultBlock.objects.filter(run__in=failed).delete()
    failed.update(
        finished_at=None, value=None, error_code="", error_message="", error_detail="", elapsed=0.0
    )


def forget_runs(evaluation_id: Any) -> None:
    """Delete all that text metrics have computed for an attempt."""
    MetricRun.objects.filter(evaluation=evaluation_id).delete()


def _take_over(run: MetricRun, finished: MetricRun, time_slice: TimeSlice) -> None:
    """Copy all results of another run into a run. Raises LeaseLost."""
    last = finished.blocks.aggregate(last=Max("number"))["last"]
    for at in range(0, 0 if last is None else last + 1, BLOCKS_PER_STATEMENT):
        blocks = finished.blocks.filter(number__gte=at, number__lt=at + BLOCKS_PER_STATEMENT)
        retried(partial(_copy, run, list(blocks), time_slice))
        time_slice.go_on()
    end = {name: getattr(finished, name) for name in ENDED}
    _finish(run, time_slice, cast(EndOfRun, end))


def _copy(run: MetricRun, blocks: list[ResultBlock], time_slice: TimeSlice) -> None:
    time_slice.renew(stored=True)
    ResultBlock.objects.bulk_create(
        (
            ResultBlock(
                run=run,
                number=block.number,
                count=block.count,
                content=block.content,
                part=block.part,
            )
            for block in blocks
        ),
        ignore_conflicts=True,
    )


def _work_on(
    run: MetricRun, instances: Instances, config: ScoringConfig, time_slice: TimeSlice
) -> None:
    """Continue a run. Raises TimeSliceOver if the time slice ends before the run does."""
    metric = _metric_of(run, config)
    tally = _tally_of(run, metric, instances)
    missing = {number for number in range(len(instances.sizes)) if number not in tally}
    run_steps = steps(
        metric,
        config.whole_parameters(run.given, run.key),
        instances.blocks(missing),
        tally,
        count=len(instances.sizes),
        timeout_ms=config.text_timeout_ms,
        stop=time_slice.is_over,
    )
    store = _Store(run, instances, time_slice)
    with closing(run_steps):
        for step in run_steps:
            if isinstance(step, Failure):
                return _finish(run, time_slice, _failed(run, step, tally, len(instances)))
            if isinstance(step, Scored):
                store.now()
                return _finish(run, time_slice, _scored(run, step, tally, metric, len(instances)))
            store.add(step)
            time_slice.go_on()
    store.now()
    raise TimeSliceOver


def _metric_of(run: MetricRun, config: ScoringConfig) -> PluginDescription:
    """The metric of a run; one with an error if it is not installed or belongs to another tenant.

    Raises SandboxError.
    """
    try:
        package = package_of(config.challenge_id)
        metric = metric_that_computes(run.given["id"], run.given.get("parameters") or {}, package)
        mine = may_use(metric.entrypoint, config.challenge.tenant.slug)
        return metric if mine else PluginDescription("", error=not_yours())
    except TextMetricsAway as error:
        raise SandboxError(str(error)) from None
    except UnknownTextMetric as error:
        return PluginDescription("", error=Failure("not_installed", str(error)))


def _tally_of(run: MetricRun, metric: PluginDescription, instances: Instances) -> RunningScore:
    """The results that earlier time slices stored.

    A metric that needs all instances at once starts again unless all its blocks are stored.
    """
    tally = RunningScore(averaged=metric.averaged)
    blocks = run.blocks.order_by("number")
    if in_blocks(metric) or blocks.count() == len(instances.sizes):
        for block in blocks.iterator(chunk_size=BLOCKS_PER_STATEMENT):
            tally.add(_piece_of(block))
    return tally


def _piece_of(block: ResultBlock) -> Piece:
    results = [result for result, _ in block.rows()]
    return Piece(block.number, results, None, BlockScore(*unpacked(block.part)))


class _Store:
    """Stores the pieces of a run, several at once, and renews the lease in the same transaction."""

    def __init__(self, run: MetricRun, instances: Instances, time_slice: TimeSlice) -> None:
        self._run = run
        self._sizes = instances.sizes
        self._time_slice = time_slice
        self._waiting: list[ResultBlock] = []
        self._since = 0.0

    def add(self, pieces: Any) -> None:
        if pieces and not self._waiting:
            self._since = time.monotonic()
            self._time_slice.came()
        self._waiting += map(self._row, pieces)
        if self._waiting and time.monotonic() - self._since > SECONDS_PER_STORE:
            self.now()

    def now(self) -> None:
        """Store the waiting pieces. If the lease is lost, store nothing and raise LeaseLost."""
        rows, self._waiting = self._waiting, []
        if rows:
            retried(lambda: self._save(rows))

    def _save(self, rows: list[ResultBlock]) -> None:
        self._time_slice.renew(stored=True)
        ResultBlock.objects.bulk_create(
            rows, batch_size=BLOCKS_PER_STATEMENT, ignore_conflicts=True
        )

    def _row(self, piece: Piece) -> ResultBlock:
        count = self._sizes[piece.number]
        results, warnings = piece.results or [None] * count, piece.warnings or [None] * count
        return ResultBlock(
            run=self._run,
            number=piece.number,
            count=count,
            content=packed(list(zip(results, warnings, strict=True))),
            part=packed(piece.part),
        )


def _scored(
    run: MetricRun, end: Scored, tally: RunningScore, metric: PluginDescription, total: int
) -> EndOfRun:
    return {
        "score": end.score,
        "names": list(end.score),
        "value": tally.values(run.key, end.score, total, metric.bounds_of),
        "elapsed": end.seconds,
    }


def _failed(run: MetricRun, failure: Failure, tally: RunningScore, total: int) -> EndOfRun:
    logger.warning("the text metric %s failed: %s", run.key, failure.message)
    return {
        "error_code": failure.code,
        "error_message": failure.message[:500],
        "error_detail": failure.detail,
        "value": error_values(
            run.key, {"code": failure.code, "message": failure.message[:500]}, total
        ),
        "elapsed": tally.seconds,
    }


def _finish(run: MetricRun, time_slice: TimeSlice, changes: EndOfRun) -> None:
    """Save the end of a run unless another worker has, and delete the blocks of a failed run."""

    def work() -> None:
        time_slice.renew(stored=True)
        unfinished = MetricRun.objects.filter(pk=run.pk, finished_at=None)
        ended = unfinished.update(finished_at=Now(), **changes)
        if changes.get("error_code") or not ended:
            run.blocks.exclude(run__error_code="").delete()

    time_slice.came()
    retried(work)
    run.refresh_from_db(fields=["value", "finished_at"])
