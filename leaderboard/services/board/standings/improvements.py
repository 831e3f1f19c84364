"""How precisely two attempts of a participant are compared: by tasks or by instances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any, Final
from uuid import UUID

import numpy as np

from leaderboard.models import Evidence, MetricRun, ScoringConfig
from leaderboard.rules.rewards.clusters import cluster_numbers
from leaderboard.rules.statistics.comparisons import compare
from leaderboard.rules.statistics.metric_parts import metric_parts
from leaderboard.rules.statistics.parts import TaskParts
from leaderboard.schemas.metrics import spec_of
from leaderboard.schemas.text_metrics import text_spec_of
from leaderboard.services.evaluation.instances import Instances
from leaderboard.services.evaluation.metrics import metric_of

KEPT: Final = 8
"""Attempts whose values are kept in memory; usually one is compared with many."""


class PairedErrors:
    """The standard errors of differences between attempts under a config."""

    def __init__(self, config: ScoringConfig, phase_id: int) -> None:
        self._config, self._phase_id = config, phase_id
        self._values = lru_cache(KEPT)(self._read)

    def between(self, first: UUID, second: UUID) -> float:
        """The standard error of the difference of the first ranked value, over what both have.

        0 for a value that is not computed from tasks or instances; infinite if these are missing.
        """
        key = self._config.own_ranking.keys[0].key
        if not self._has_values(key):
            return 0.0
        both = [self._values(first), self._values(second)]
        names = [name for name in both[0] if name in both[1]]
        if len(names) < 2:
            return float("inf")
        clusters = cluster_numbers(names, self._config.task_clusters)
        parts = TaskParts.of_values([[values[name] for name in names] for values in both])
        if clusters:
            parts = TaskParts(parts.above, parts.below, clusters=np.array(clusters))
        error = compare(parts).standard_error
        return float("inf") if error is None else error

    def _has_values(self, key: str) -> bool:
        config = self._config
        spec = spec_of(key, config.metric_specs)
        return metric_of(spec) is not None or text_spec_of(key, config.text_specs) is not None

    def _read(self, attempt: UUID) -> Mapping[str, float]:
        key = self._config.own_ranking.keys[0].key
        spec = spec_of(key, self._config.metric_specs)
        if spec is None:
            return dict(self._of_instances(attempt, key))
        evidence = Evidence.objects.only("samples").filter(pk=attempt).first()
        if evidence is None:
            return {}
        rewards = evidence.under(self._config, self._config.counts(self._phase_id))
        reward = dict(spec.keys(rewards.rewards)).get(key)
        parts = metric_parts(
            metric_of(spec),
            rewards.metric_input(
                reward, failed=spec.failed, undefined=spec.undefined, group=spec.group
            ),
        )
        if parts is None:
            return {}
        return dict(zip(parts.tasks, (parts.above / parts.below).tolist(), strict=True))

    def _of_instances(self, attempt: UUID, key: str) -> Iterator[tuple[str, float]]:
        name, _, other = key.partition(":")
        runs = MetricRun.objects.filter(evaluation=attempt, config=self._config, key=name)
        run = runs.order_by("position").first()
        if run is None:
            return
        rows = chain.from_iterable(block.rows() for block in run.blocks.order_by("number"))
        ids = chain.from_iterable(Instances(attempt, self._config, self._phase_id).ids())
        for instance, (result, _warning) in zip(ids, rows, strict=False):
            number = _number(result, other)
            if number is not None:
                yield str(instance), number


def _number(result: Any, name: str) -> float | None:
    """A result of an instance: a number, or the number of this name, the first one without."""
    if isinstance(result, dict):
        result = result.get(name) if name else next(iter(result.values()), None)
    return None if result is None else float(result)
