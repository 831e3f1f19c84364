"""From the samples of attempts to their metric values."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from leaderboard.models import Evidence, ScoringConfig
from leaderboard.rules.reductions import MetricValue, metric_values
from leaderboard.services.metrics import Asked
from leaderboard.services.scorables import Scorable
from leaderboard.services.scripts import script_of

BATCH = 100
SECONDS_PER_BATCH = 2.0


def measured(config: ScoringConfig, attempt: Scorable) -> Scorable:
    """The attempt with its metric values under a config; read from its evidence, if it has any."""
    if attempt.sample_count is None:
        return attempt
    evidence = Evidence.objects.only("samples").get(pk=attempt.pk)
    return attempt._replace(metric_values=values_of(config, evidence))


def values_of(config: ScoringConfig, evidence: Evidence) -> dict[str, MetricValue]:
    """What the metrics of a config make of evidence, by key. Nothing a metric does is raised."""
    asked = Asked(config)
    return metric_values(evidence.under(config), config.metric_specs, asked.reduce_of, script_of)


def measured_batches(
    config: ScoringConfig, attempts: Iterable[Scorable]
) -> Iterator[list[Scorable]]:
    """The attempts, measured: up to a hundred at once, or what can be measured in seconds."""
    batch: list[Scorable] = []
    until = time.monotonic() + SECONDS_PER_BATCH
    for attempt in attempts:
        batch.append(measured(config, attempt))
        if len(batch) == BATCH or time.monotonic() > until:
            yield batch
            batch, until = [], time.monotonic() + SECONDS_PER_BATCH
    if batch:
        yield batch


def new_keys(config: ScoringConfig, attempts: Iterable[Scorable]) -> list[str]:
    """Keys of metric values that no attempt under the config has had before."""
    seen = (key for attempt in attempts for key in attempt.metric_values)
    return [key for key in dict.fromkeys(seen) if key not in config.metric_keys]
