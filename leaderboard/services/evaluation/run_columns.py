"""The runs of text metrics for display, and the columns that format their numbers."""

from __future__ import annotations

from leaderboard.columns import Column
from leaderboard.columns.registry import TEXT_NOTE, get_column
from leaderboard.columns.text_metric import notes_beside
from leaderboard.models import Attempt, Evaluation, MetricRun, ScoringConfig
from leaderboard.rules.json.stored import GivenTextMetric
from leaderboard.rules.visibility.withholding import rounded_score, rounded_value
from leaderboard.schemas.text_metrics import TextSpec, text_spec_of
from leaderboard.services.evaluation.metrics import text_notes_of
from leaderboard.services.evaluation.plans import new_runs
from leaderboard.services.plugins.text_metrics import UnknownTextMetric, find_text_metric


def shown_runs(
    attempt: Attempt, config: ScoringConfig, decimals: int | None = None
) -> list[MetricRun]:
    """The runs of an attempt's evaluation under a config, in the order of the output document.

    Until a worker has created them, these are unsaved rows. decimals: round the numbers to this
    many digits; such runs must not be saved.
    """
    runs = list(MetricRun.objects.filter(evaluation=attempt.pk, config=config))
    for run in runs:
        run.config = config
        if decimals is not None:
            _round(run, decimals)
    return runs or new_runs(Evaluation.objects.get(pk=attempt.pk), config)


def _round(run: MetricRun, decimals: int) -> None:
    """Round the numbers of a run, and clear its messages, which may contain exact numbers."""
    run.error_message = run.error_detail = ""
    if run.score is not None:
        run.score = rounded_score(run.score, decimals)
    if run.value is not None:
        run.value = {key: rounded_value(value, decimals) for key, value in run.value.items()}


def column_of(run: MetricRun, key: str) -> Column:
    """The column of one number of a run that is not on the board.

    The descriptions of the challenge's own metrics are stored; a document's metric is asked for it.
    """
    config = run.config
    if text_spec_of(key, config.text_specs):
        return get_column(key, texts=config.text_specs, notes=config.metric_notes)
    given: GivenTextMetric = run.given
    parameters = given.get("parameters") or {}
    try:
        spec = TextSpec(find_text_metric(given["id"]).name, run.key, parameters=parameters)
    except UnknownTextMetric:
        return get_column(key, texts=[TextSpec(given["id"], run.key, parameters=parameters)])
    return get_column(key, texts=[spec], notes=text_notes_of([spec]))


def notes_beside_run(run: MetricRun) -> list[str]:
    """The notes beside the values of a run: sentences that explain its parameters."""
    given: GivenTextMetric = run.given
    parameters = given.get("parameters") or {}
    stored = run.config.metric_notes
    spec = text_spec_of(run.key, run.config.text_specs)
    if spec and "notes" in (note := stored.get(f"{TEXT_NOTE}{spec.id}", {})):
        return notes_beside(parameters, note)
    try:
        metric = TextSpec(find_text_metric(run.given["id"]).name, run.key)
    except UnknownTextMetric:
        return []
    return notes_beside(parameters, text_notes_of([metric])[f"{TEXT_NOTE}{metric.id}"])
