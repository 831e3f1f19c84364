"""Which text metrics are run on an attempt: those that its document names, and the challenge's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from leaderboard.models import Evaluation, MetricRun, ScoringConfig
from leaderboard.rules.spec_names import free_name
from leaderboard.rules.strict_json import canonical
from leaderboard.rules.text_specs import TextSpec, enabled, parse_text_metrics
from leaderboard.services.text_metrics import UnknownTextMetric, find_text_metric


class Planned(NamedTuple):
    """A run to be made: the key of its value, and the metric as it was named."""

    key: str
    given: Mapping[str, Any]


def runs_of(evaluation: Evaluation, config: ScoringConfig) -> list[MetricRun]:
    """The runs of an evaluation under a config, in the order of the output document.

    They are made when they are asked for first, by whichever worker comes first.
    """
    runs = MetricRun.objects.filter(evaluation=evaluation, config=config)
    if there := list(runs):
        return there
    MetricRun.objects.bulk_create(new_runs(evaluation, config), ignore_conflicts=True)
    return list(runs.all())


def twin_of(run: MetricRun, config: ScoringConfig) -> MetricRun | None:
    """A finished run that has asked what `run`, of `config`, is to ask, under a newer config.

    An attempt that comes while a board is rescored is scored under both. Never the other way
    round: the metric's file may have changed before the rescore began.
    """
    finished = MetricRun.objects.filter(
        evaluation=run.evaluation_id,
        key=run.key,
        finished_at__isnull=False,
        config__number__gt=config.number,
        config__references=config.references_id,
        config__text_timeout_ms=config.text_timeout_ms,
    )
    asked = canonical(run.given)
    return next((each for each in finished if canonical(each.given) == asked), None)


def new_runs(evaluation: Evaluation, config: ScoringConfig) -> list[MetricRun]:
    """The runs that an evaluation is to have under a config; not saved."""
    return [
        MetricRun(
            evaluation=evaluation, config=config, position=at, key=each.key, given=dict(each.given)
        )
        for at, each in enumerate(planned(config, evaluation.metrics))
    ]


def planned(config: ScoringConfig, metrics: Sequence[Any]) -> list[Planned]:
    """The runs of a document with these `metrics`: its own in their order, then the challenge's.

    A metric that both name with equal parameters is run once, under the challenge's name. Another
    one of a document gets a name that is none of the challenge's, so that it never stands for it.
    Where the challenge holds references, documents choose no metrics.
    """
    own = list(enabled(config.text_specs))
    if config.references_id is not None:
        metrics = ()
    specs = enabled(parse_text_metrics(metrics, _registered, number_doubles=True))
    taken = {spec.name for spec in own}
    taken |= {each.name.partition(":")[0] for each in config.metric_specs}
    runs = []
    for spec in specs:
        same = next((each for each in own if _completed(each).computes_as(_completed(spec))), None)
        if same is not None:
            own.remove(same)
        runs.append(Planned(same.name if same else free_name(spec.name, taken), spec.given))
        taken.add(runs[-1].key)
    return runs + [Planned(spec.name, spec.given) for spec in own]


def board_names(config: ScoringConfig) -> set[str]:
    """The names of the text metrics that the config's board has columns for."""
    return {spec.name for spec in enabled(config.text_specs)}


def _registered(metric_id: str) -> str:
    """The id that a metric is registered under; the given one of a metric that has gone since."""
    try:
        return find_text_metric(metric_id).name
    except UnknownTextMetric:
        return metric_id


def _completed(spec: TextSpec) -> TextSpec:
    """With the defaults of what is not given."""
    try:
        defaults = find_text_metric(spec.id).defaults or {}
    except UnknownTextMetric:
        return spec
    return replace(spec, parameters={**defaults, **spec.parameters})
