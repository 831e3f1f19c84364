"""Which text metrics run on an attempt, and which of the runs its output document contains.

The document's own metrics come first, in its order, then those that only the challenge has. So the
position of a run says whether the document enables it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from leaderboard.models import Evaluation, MetricRun, ScoringConfig
from leaderboard.rules.json.canonical import canonical
from leaderboard.rules.json.stored import GivenTextMetric
from leaderboard.rules.texts.value_names import free_name
from leaderboard.schemas.text_metrics import TextSpec, enabled, parse_text_metrics
from leaderboard.services.plugins.text_metrics import UnknownTextMetric, find_text_metric

OF_DOCUMENT = "{} (document)"
"""The key of a document's metric if a metric of the challenge has the same name."""


class Planned(NamedTuple):
    """A run to create. key: of its value. given: the metric as the document or challenge has it."""

    position: int
    key: str
    given: GivenTextMetric


class Named(NamedTuple):
    """An entry of the output document: the metric as the document names it, and its run."""

    given: GivenTextMetric
    run: MetricRun


def runs_of(evaluation: Evaluation, config: ScoringConfig) -> list[MetricRun]:
    """The runs of an evaluation under a config, in the order of their positions.

    The first worker that needs them creates them.
    """
    runs = MetricRun.objects.filter(evaluation=evaluation, config=config)
    if existing := list(runs):
        return existing
    MetricRun.objects.bulk_create(new_runs(evaluation, config), ignore_conflicts=True)
    return list(runs.all())


def finished_run_like(
    run: MetricRun, config: ScoringConfig, phase_id: int | None
) -> MetricRun | None:
    """A finished run under a newer config that computes the same as `run` under `config`.

    Metric, parameters, secrets, references, time limit, instances and outputs are equal. None if
    there is no such run. phase_id: the phase of the attempt.

    An attempt that arrives during a rescore is scored under both configs. The older run is never
    reused for the newer config: the metric's file may have changed before the rescore began.
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
    return next(
        (
            other
            for other in finished.select_related("config")
            if canonical(other.given) == asked
            and other.config.text_secrets == config.text_secrets
            and other.config.outputs_per_instance == config.outputs_per_instance
            and _same_part(other.config, config, phase_id)
        ),
        None,
    )


def _same_part(one: ScoringConfig, other: ScoringConfig, phase_id: int | None) -> bool:
    return one.parts == other.parts and one.part_in(phase_id) == other.part_in(phase_id)


def new_runs(evaluation: Evaluation, config: ScoringConfig) -> list[MetricRun]:
    """The runs that an evaluation needs under a config; not saved."""
    return [
        MetricRun(
            evaluation=evaluation,
            config=config,
            position=plan.position,
            key=plan.key,
            given=dict(plan.given),
        )
        for plan in planned(config, evaluation.metrics)
    ]


def in_output_document(
    evaluation: Evaluation, config: ScoringConfig, runs: Sequence[MetricRun]
) -> list[Named]:
    """The entries of the output document: one for each metric that the document enables.

    runs: all runs of the evaluation under the config. If the challenge holds the references,
    documents choose no metrics, and the entries are the challenge's.
    """
    if evaluation.outputs_only or config.references_id is not None:
        return [Named(run.given, run) for run in runs]
    at_position = {run.position: run for run in runs}
    chosen: list[tuple[TextSpec, MetricRun]] = []
    for at, spec in enumerate(enabled(parse_text_metrics(evaluation.metrics, number_doubles=True))):
        run = at_position.get(at) or next(run for other, run in chosen if other.computes_as(spec))
        chosen.append((spec, run))
    return [Named(spec.given, run) for spec, run in chosen]


def chosen_by_challenge(
    evaluation: Evaluation, config: ScoringConfig, runs: Sequence[MetricRun]
) -> set[int]:
    """The positions of the runs that no document enabled."""
    if evaluation.outputs_only or config.references_id is not None:
        return {run.position for run in runs}
    named = in_output_document(evaluation, config, runs)
    return {run.position for run in runs} - {entry.run.position for entry in named}


def planned(config: ScoringConfig, metrics: Sequence[Any]) -> list[Planned]:
    """The runs of a document with these `metrics`: its own in their order, then the challenge's.

    A metric that the document enables twice with the same parameters is run once, at its first
    position. A metric that the challenge has too, with equal parameters after defaults are filled
    in, is run once, under the challenge's name. If the challenge holds the references, the
    document's metrics are ignored.
    """
    own = list(enabled(config.text_specs))
    if config.references_id is not None:
        metrics = ()
    specs = enabled(parse_text_metrics(metrics, _registered, number_doubles=True))
    reserved = {spec.name for spec in own}
    reserved |= {metric_spec.name.partition(":")[0] for metric_spec in config.metric_specs}
    runs: list[Planned] = []
    for at, spec in enumerate(specs):
        if any(other.computes_as(spec) for other in specs[:at]):
            continue
        same = next(
            (own_spec for own_spec in own if _completed(own_spec).computes_as(_completed(spec))),
            None,
        )
        if same is not None:
            own.remove(same)
        key = same.name if same else _free_key(spec, reserved, {run.key for run in runs})
        runs.append(Planned(at, key, spec.given))
    rest = enumerate(own, start=len(specs))
    return runs + [Planned(at, spec.name, spec.given) for at, spec in rest]


def _free_key(spec: TextSpec, reserved: Collection[str], taken: Collection[str]) -> str:
    """A free key for a document's metric. reserved: the names of the challenge's metrics."""
    name = str(spec.given.get("name") or spec.id)
    named = OF_DOCUMENT.format(name) if name in reserved else name
    return free_name(named, {*reserved, *taken})


def board_names(config: ScoringConfig) -> set[str]:
    """The names of the text metrics that the config's board has columns for."""
    return {spec.name for spec in enabled(config.text_specs)}


def _registered(metric_id: str) -> str:
    """The id that a metric is registered under; the given one if the metric no longer exists."""
    try:
        return find_text_metric(metric_id).name
    except UnknownTextMetric:
        return metric_id


def _completed(spec: TextSpec) -> TextSpec:
    """The spec with defaults filled in for the parameters that it leaves out."""
    try:
        defaults = find_text_metric(spec.id).defaults or {}
    except UnknownTextMetric:
        return spec
    return replace(spec, parameters={**defaults, **spec.parameters})
