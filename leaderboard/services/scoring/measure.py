"""Compute metric values from the instances, samples and predictions of attempts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

from leaderboard.models import Evidence, ScoringConfig
from leaderboard.rules.rewards.reductions import MetricValue, metric_values
from leaderboard.rules.rewards.reported import with_reported
from leaderboard.rules.statistics.judged import with_judged
from leaderboard.sandbox import HostOverfull
from leaderboard.services.board.editions import metrics_code_now
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore
from leaderboard.services.evaluation.evaluate import evaluated
from leaderboard.services.evaluation.metrics import MetricRunner
from leaderboard.services.evaluation.runs import never
from leaderboard.services.evaluation.time_slices import TimeSlice, TimeSliceOver
from leaderboard.services.plugins.sources import CODE_TRIES, combined
from leaderboard.services.predictions.values import with_predictions
from leaderboard.services.programs.running import with_program_values
from leaderboard.services.scoring.labels.labelling import labelling_of
from leaderboard.services.scripts.running import script_of

BATCH = 100
SECONDS_PER_BATCH = 2.0


def measured(config: ScoringConfig, attempt: AttemptToScore) -> AttemptToScore:
    """The attempt with the metric values of its samples, if any, added to its other values.

    Those of its predictions are among these (`with_predictions`). A reported value is used if its
    metric accepts reported values.
    """
    values, code = attempt.metric_values, metrics_code_now(config)
    if config.program is not None:
        code = combined([attempt.metrics_code, *filter(None, [code])])
    if attempt.sample_count is not None:
        evidence = Evidence.objects.only("samples", "rulings").filter(pk=attempt.pk).first()
        if evidence is not None:  # else the account was deleted meanwhile
            measured, code = _values_and_code(config, evidence, attempt.phase_id)
            values = {**values, **measured}
    values = with_reported(values, attempt.values, config.reported_rule)
    return attempt._replace(metric_values=values, metrics_code=code)


def _values_and_code(
    config: ScoringConfig, evidence: Evidence, phase_id: int | None
) -> tuple[dict[str, MetricValue], str]:
    """The values, and the version of the plugins' code that computed them.

    Measures again if the code changed meanwhile; the version is "" if it changed each time.
    """
    values: dict[str, MetricValue] = {}
    for _ in range(CODE_TRIES):
        code = metrics_code_now(config)
        values = values_of(config, evidence, phase_id)
        if metrics_code_now(config) == code:
            return values, code
    return values, ""


def values_of(
    config: ScoringConfig, evidence: Evidence, phase_id: int | None
) -> dict[str, MetricValue]:
    """The values that the metrics of a config compute from evidence, by key.

    Only tasks that count in the attempt's phase are included. An error of a metric is not raised:
    it is part of the metric's value.
    """
    asked = MetricRunner(config)
    counted = evidence.under(config, config.counts(phase_id))
    values = metric_values(counted, config.metric_specs, asked.reduce_of, script_of)
    labelling = labelling_of(config, evidence)
    if labelling is None:
        return values
    return with_judged(values, counted, config.metric_specs, labelling)


def measured_batches(
    config: ScoringConfig,
    attempts: Iterable[AttemptToScore],
    time_slice: TimeSlice,
    *,
    seconds: float = SECONDS_PER_BATCH,
    others_wait: Callable[[], bool] = never,
) -> Iterator[list[AttemptToScore]]:
    """Evaluate and measure attempts; yields them in batches.

    A batch has at most 100 attempts, and ends after `seconds` or when others wait. Raises
    LeaseLost and, after yielding the attempts that are done, TimeSliceOver and HostOverfull.
    """
    batch: list[AttemptToScore] = []
    until = time.monotonic() + seconds
    for attempt in with_predictions(config, attempts):
        try:
            attempt = with_program_values(config, attempt, time_slice)
            batch.append(measured(config, evaluated(config, attempt, time_slice)))
        except (TimeSliceOver, HostOverfull):
            if batch:
                yield batch
            raise
        if len(batch) == BATCH or time.monotonic() > until or others_wait():
            yield batch
            batch, until = [], time.monotonic() + seconds
    if batch:
        yield batch


def new_keys(config: ScoringConfig, attempts: Iterable[AttemptToScore]) -> list[str]:
    """Keys of metric values that no attempt under the config has had before."""
    keys = (key for attempt in attempts for key in attempt.metric_values)
    return [key for key in dict.fromkeys(keys) if key not in config.metric_keys]
