"""From the samples of attempts to their metric values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from leaderboard.models import Evidence, ScoringConfig
from leaderboard.rules.reductions import MetricValue, metric_values
from leaderboard.services.metrics import reduce_of, script_of
from leaderboard.services.scorables import Scorable

BATCH = 100
SAMPLES_PER_BATCH = 100_000


def measured(config: ScoringConfig, attempt: Scorable) -> Scorable:
    """The attempt with its metric values under a config; read from its evidence, if it has any."""
    if attempt.sample_count is None:
        return attempt
    evidence = Evidence.objects.only("samples").get(pk=attempt.pk)
    return attempt._replace(metric_values=values_of(config, evidence))


def values_of(config: ScoringConfig, evidence: Evidence) -> dict[str, MetricValue]:
    """What the metrics of a config make of evidence, by key. Nothing a metric does is raised."""
    return metric_values(evidence.under(config), config.metric_specs, reduce_of, script_of)


def batches(attempts: Sequence[Scorable]) -> Iterator[list[Scorable]]:
    """Pieces of up to a hundred attempts, or as many samples as are measured in seconds."""
    batch: list[Scorable] = []
    samples = 0
    for attempt in attempts:
        samples += attempt.sample_count or 0
        if batch and (len(batch) == BATCH or samples > SAMPLES_PER_BATCH):
            yield batch
            batch, samples = [], attempt.sample_count or 0
        batch.append(attempt)
    if batch:
        yield batch


def new_keys(config: ScoringConfig, attempts: Iterable[Scorable]) -> list[str]:
    """Keys of metric values that no attempt under the config has had before."""
    seen = (key for attempt in attempts for key in attempt.metric_values)
    return [key for key in dict.fromkeys(seen) if key not in config.metric_keys]
