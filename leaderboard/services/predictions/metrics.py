"""Check the metrics of predictions that a challenge lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from leaderboard.columns.registry import TEXT_NOTE
from leaderboard.columns.text_metric import TextNote
from leaderboard.facts import rankable_keys
from leaderboard.languages.translation import translated
from leaderboard.predictions.layouts import metric_kinds
from leaderboard.schemas.errors import SchemaError
from leaderboard.schemas.predictions import FIELD, parse_prediction_metrics
from leaderboard.schemas.scoring import ScoringFields
from leaderboard.schemas.text_metrics import TextSpec
from leaderboard.services.errors import ServiceError, invalid, refused
from leaderboard.services.plugins.prediction_metrics import (
    check_parameters,
    find_prediction_metric,
)


def checked_prediction_metrics(fields: ScoringFields) -> Sequence[TextSpec]:
    """The metrics of predictions of a challenge, which this server has. Raises ServiceError."""
    try:
        specs = parse_prediction_metrics(
            fields.prediction_metrics, _registered, taken=rankable_keys()
        )
    except SchemaError as error:
        raise refused(error) from None
    if not specs:
        return specs
    if fields.metrics or fields.text_metrics:
        text = _("must be empty beside metrics and text_metrics")
        raise invalid(FIELD, text, got=fields.prediction_metrics)
    for name, value in (("id_column", fields.id_column), ("targets", list(fields.targets))):
        if not value:
            text = _("must not be empty, because there are metrics of predictions")
            raise invalid(name, text, got=value)
    for index, spec in enumerate(specs):
        _check(spec, f"{FIELD}.{index}", fields)
    return specs


def _registered(metric_id: str) -> str:
    return find_prediction_metric(metric_id).name


def _check(spec: TextSpec, at: str, fields: ScoringFields) -> None:
    """Check that a metric is for such rows, and takes its parameters. Raises ServiceError."""
    metric = find_prediction_metric(spec.id)
    accepted = metric_kinds(fields.prediction_kind.value)
    if metric.rows not in accepted:
        text = _("must be a metric of {kinds}; got {name}, which is of {kind}")
        wrong_kind = text.format(kinds=" / ".join(accepted), name=metric.name, kind=metric.rows)
        raise invalid(f"{at}.id", wrong_kind)
    errors = check_parameters(spec.id, dict(spec.parameters))
    if errors:
        wrong = {
            f"{at}.parameters.{name}".rstrip("."): list(texts) for name, texts in errors.items()
        }
        first = next(iter(wrong))
        raise ServiceError("invalid", f"{first}: {translated(wrong[first][0])}", wrong)


def least_prediction(specs: Iterable[TextSpec]) -> float | None:
    """What predicted numbers must exceed for all metrics; None for any number."""
    bounds = [find_prediction_metric(spec.id).above for spec in specs]
    return max((bound for bound in bounds if bound is not None), default=None)


def prediction_notes_of(specs: Iterable[TextSpec]) -> dict[str, TextNote]:
    """The descriptions of the metrics, in the form that `columns` needs."""
    return {f"{TEXT_NOTE}{spec.id}": _note(spec.id) for spec in specs}


def _note(metric_id: str) -> TextNote:
    metric = find_prediction_metric(metric_id)
    return {
        "description": metric.doc,
        "direction": metric.direction,
        "directions": dict(metric.directions),
        "unit": metric.unit,
        "bounds": metric.bounds and list(metric.bounds),
    }
