"""Run the metrics of a challenge within their time limits."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from leaderboard.columns.metric import Note
from leaderboard.columns.registry import TEXT_NOTE
from leaderboard.columns.text_metric import TextNote
from leaderboard.models import ScoringConfig
from leaderboard.rules.rewards.reducible import SCRIPT
from leaderboard.rules.rewards.reductions import MetricFailed, Reduce
from leaderboard.rules.statistics.metric_parts import gives_parts
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.sandbox import PluginDescription
from leaderboard.schemas.metrics import MetricSpec
from leaderboard.schemas.text_metrics import TextSpec
from leaderboard.services.challenge_code.packages import package_of
from leaderboard.services.plugins import metric_registry
from leaderboard.services.plugins.text_metrics import UnknownTextMetric, find_text_metric
from leaderboard.services.scripts import running
from scorers.metrics.registry import shipped


def built_in(spec: MetricSpec) -> bool:
    """Whether the metric comes with the product; it then runs in any process, without a sandbox."""
    return spec.compares or comes_with_the_product(spec.type)


def comes_with_the_product(type_: str) -> bool:
    """Whether the metric of rewards with this type comes with the product."""
    try:
        shipped().get(type_)
    except KeyError:
        return False
    return True


def plugin_specs(config: ScoringConfig) -> list[MetricSpec]:
    """The config's metrics that are plugins, without built-in metrics and scripts."""
    return [spec for spec in config.metric_specs if spec.type != SCRIPT and not built_in(spec)]


def why_unknown(type_: str, package: str = "") -> str:
    """Why a challenge cannot name this metric; "" if it can.

    package: the upload of the challenge, here and below; "" for no challenge, or one without.
    """
    unknown = "" if comes_with_the_product(type_) else metric_registry.why_unknown(type_, package)
    if unknown and (metric := _text_metric(type_, package)):
        return message(
            "must be the type of a metric; got {name}, a text metric: list it in text_metrics",
            name=sent(metric.name),
        )
    return unknown


def _text_metric(metric_id: str, package: str) -> PluginDescription | None:
    try:
        return find_text_metric(metric_id, package)
    except UnknownTextMetric:
        return None


def notes_of(specs: Iterable[MetricSpec], package: str = "") -> dict[str, Note]:
    """Descriptions of plugins' metrics by type, to be stored: boards then need no sandbox."""
    types = {spec.type for spec in specs if spec.type != SCRIPT and not built_in(spec)}
    described = {type_: metric_registry.find_metric(type_, package) for type_ in types}
    return {
        type_: {"description": metric.doc, "direction": metric.direction, "unit": metric.unit}
        for type_, metric in sorted(described.items())
        if metric is not None
    }


def text_notes_of(specs: Iterable[TextSpec], package: str = "") -> dict[str, TextNote]:
    """The descriptions of text metrics in the form that `columns` needs.

    Raises UnknownTextMetric.
    """
    ids = sorted({spec.id for spec in specs if spec.enable})
    return {f"{TEXT_NOTE}{id_}": _text_note(find_text_metric(id_, package)) for id_ in ids}


def _text_note(metric: PluginDescription) -> TextNote:
    return {
        "description": metric.doc,
        "direction": metric.direction,
        "directions": dict(metric.directions),
        "unit": metric.unit,
        "bounds": metric.bounds and list(metric.bounds),
        "notes": {name: dict(texts) for name, texts in metric.notes.items()},
        "defaults": {name: str((metric.defaults or {}).get(name)) for name in metric.notes},
    }


def longest(config: ScoringConfig) -> timedelta:
    """The longest time that plugins and scripts may take for the metric values of one attempt."""
    slow = [spec for spec in config.metric_specs if not built_in(spec)]
    run = sum(spec.type == SCRIPT for spec in slow)
    milliseconds = run * running.RUN_TIMEOUT_MS + (len(slow) - run) * config.timeout_ms
    return timedelta(milliseconds=milliseconds)


class MetricRunner:
    """Runs the metrics of a config on one attempt.

    If there are several rewards, a plugin runs on each. All calls of plugins share one time budget:
    the config's time limit, multiplied by the number of plugin metrics. Calls after that fail.
    """

    def __init__(self, config: ScoringConfig) -> None:
        plugins = sum(not built_in(spec) for spec in config.metric_specs)
        self._config, self._timeout_ms = config, config.timeout_ms
        self._until = time.monotonic() + plugins * config.timeout_ms / 1000
        self._package = package_of(config.challenge_id) if plugins else ""

    def reduce_of(self, spec: MetricSpec) -> Reduce:
        """The function that computes a metric.

        Raises MetricFailed if the metric is unknown or the time budget is used up.
        """
        if built_in(spec):
            return metric_registry.reduce_of(spec)
        left = int((self._until - time.monotonic()) * 1000)
        if left < 1:
            raise MetricFailed("timeout", "The metrics took too long for one attempt.")
        tenant = self._config.challenge.tenant.slug
        return metric_registry.reduce_of(
            spec, min(left, self._timeout_ms), tenant=tenant, package=self._package
        )


def metric_of(spec: MetricSpec | None) -> Any:
    """The metric, if its value is a quotient of two sums over tasks and it runs in this process."""
    if spec is None or spec.over or not comes_with_the_product(spec.type):
        return None
    metric = shipped().get(spec.type)()
    return metric if gives_parts(metric) else None
