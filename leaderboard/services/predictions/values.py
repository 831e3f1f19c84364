"""Compute metric values from the predictions of attempts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Final, NamedTuple
from uuid import UUID

from leaderboard.languages.translation import translated
from leaderboard.models import ScoringConfig, SubmittedFile, Truth
from leaderboard.models.bulk import in_runs
from leaderboard.predictions.scoring import Measured
from leaderboard.rules.rewards.intervals import Estimate
from leaderboard.rules.rewards.reductions import MetricValue, value_of
from leaderboard.rules.rewards.splits import TaskPart
from leaderboard.sandbox import Failure, SandboxError
from leaderboard.schemas.text_metrics import TextSpec
from leaderboard.services.errors import ServiceError
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore
from leaderboard.services.plugins import predictions
from leaderboard.services.plugins.prediction_metrics import (
    PredictionMetricsAway,
    UnknownPredictionMetric,
    find_prediction_metric,
)
from leaderboard.services.predictions.submissions import packed_predictions

LEAST_TIMEOUT_MS: Final = 30_000
"""The least time limit of a metric, as a file may have a million rows."""
TABLE_SECONDS: Final = 60
BYTES_AT_ONCE: Final = 8 << 20
FILES_AT_ONCE: Final = 25
"""How many packed predictions one child measures, and how many bytes of them."""

PredictionValues = dict[str, MetricValue]


def longest_measuring(config: ScoringConfig) -> timedelta:
    """The longest time that the metrics of predictions of one attempt may take."""
    if not config.prediction_specs:
        return timedelta()
    milliseconds = len(config.prediction_specs) * timeout_of(config)
    return timedelta(seconds=TABLE_SECONDS, milliseconds=milliseconds)


def timeout_of(config: ScoringConfig) -> int:
    """The milliseconds that a metric may take for one file."""
    return max(config.timeout_ms, LEAST_TIMEOUT_MS)


def with_predictions(
    config: ScoringConfig, attempts: Iterable[AttemptToScore]
) -> Iterator[AttemptToScore]:
    """The attempts, with the values of a config's metrics for their files among their values.

    Only the rows that count in the attempt's phase are measured. A metric that fails is an error
    of its value. Several small files are measured together. Raises SandboxError.
    """
    if config.truth_id is None or not config.prediction_specs:
        yield from attempts
        return
    truth = Truth.objects.only("key", "public_rows", "private_rows").get(pk=config.truth_id)
    least = BYTES_AT_ONCE // FILES_AT_ONCE
    files = _loaded(config, attempts)
    for some in in_runs(files, lambda file: max(least, len(file.packed or b"")), BYTES_AT_ONCE):
        yield from _measured(config, truth, some)


class _Loaded(NamedTuple):
    """An attempt and its packed predictions; None without a file, or with one that does not fit.

    values: those that say why it does not fit.
    """

    attempt: AttemptToScore
    packed: bytes | None
    values: PredictionValues = {}


def _loaded(config: ScoringConfig, attempts: Iterable[AttemptToScore]) -> Iterator[_Loaded]:
    for attempt in attempts:
        submitted = SubmittedFile.objects.filter(pk=attempt.pk).first()
        try:
            packed = submitted and packed_predictions(config, submitted)
        except ServiceError as refused:
            failure = Failure("invalid_result", str(refused.message))
            failed = {spec.name: _failed(failure) for spec in config.prediction_specs}
            yield _Loaded(attempt, None, failed)
        else:
            yield _Loaded(attempt, packed or None)


def _measured(
    config: ScoringConfig, truth: Truth, files: Sequence[_Loaded]
) -> Iterator[AttemptToScore]:
    """The attempts of some files with their values, in the same order."""
    values: dict[UUID, PredictionValues] = {file.attempt.pk: dict(file.values) for file in files}
    parts = {file.attempt.pk: config.part_in(file.attempt.phase_id) for file in files}
    for part in dict.fromkeys(parts.values()):
        those = {file.attempt.pk: file.packed for file in files if parts[file.attempt.pk] is part}
        packed = {pk: content for pk, content in those.items() if content is not None}
        for spec in config.prediction_specs if packed else ():
            key = bytes(truth.key)
            measured = measured_files(config, spec, key, [*packed.values()], part=part)
            for pk, result in zip(packed, measured, strict=True):
                values[pk] |= _values(spec, result, _count(truth, part))
    for file in files:
        attempt = file.attempt
        yield attempt._replace(metric_values={**attempt.metric_values, **values[attempt.pk]})


def _values(spec: TextSpec, measured: Measured | Failure, count: int) -> PredictionValues:
    if isinstance(measured, Failure):
        return {spec.name: _failed(measured)}
    return {
        key: _value(value, measured, count, is_first=index == 0)
        for index, (key, value) in enumerate(_named(spec, measured.values).items())
    }


def measured_files(
    config: ScoringConfig,
    spec: TextSpec,
    key: bytes,
    files: Sequence[bytes | None],
    *,
    part: TaskPart,
) -> Sequence[Measured | Failure]:
    """What a metric says of files of predictions, one after another. Raises SandboxError."""
    try:
        metric = find_prediction_metric(spec.id)
    except PredictionMetricsAway as error:
        raise SandboxError(translated(error.args[0])) from None
    except UnknownPredictionMetric as error:
        return [Failure("load_error", translated(error.args[0]))] * len(files)
    measured = predictions.measure_predictions(
        metric.entrypoint,
        spec.parameters,
        key,
        files,
        part=part.value,
        timeout_ms=timeout_of(config) * len(files),
    )
    return [measured] * len(files) if isinstance(measured, Failure) else measured


def _named(spec: TextSpec, values: Mapping[str, float | None]) -> dict[str, float | None]:
    """The numbers of a metric by the keys of their columns: `NAME`, then `NAME:other`."""
    first, *further_names = values
    return {
        spec.name: values[first],
        **{f"{spec.name}:{name}": values[name] for name in further_names},
    }


def _count(truth: Truth, part: TaskPart) -> int:
    counts = {TaskPart.PUBLIC: truth.public_rows, TaskPart.PRIVATE: truth.private_rows}
    return counts.get(part, truth.public_rows + truth.private_rows)


def _value(value: float | None, measured: Measured, count: int, *, is_first: bool) -> MetricValue:
    other = Estimate(value, 0 if value is None else count, interval_reason="not_estimated")
    estimate = measured.estimate if is_first else other
    return value_of(estimate, count, 0, "undefined" if value is None else None)


def _failed(failure: Failure) -> MetricValue:
    empty = value_of(Estimate(None, 0), 0, 0, None)
    return {**empty, "error": {"code": failure.code, "message": translated(failure.message)}}
