"""The challenge that an import suggests, ready to be created."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leaderboard.importers.reading.suggestions import SuggestedFields, SuggestedKey
from leaderboard.rules.sortkey import Direction
from leaderboard.schemas.errors import SchemaError
from leaderboard.schemas.text_metrics import TextMetricEntry, TextSpec, enabled, parse_text_metrics
from leaderboard.services.plugins.text_metrics import find_text_metric


def suggestion(fields: SuggestedFields) -> SuggestedFields:
    """The fields that an importer suggests, and a ranking by the first text metric if there is one.

    Leaves out fields of a document's metrics that a challenge does not accept.
    """
    metrics = _known(fields.get("text_metrics"))
    if not metrics:
        return fields
    fields = {**fields, "text_metrics": metrics}
    if "rank_by" in fields:
        return fields
    try:
        specs = enabled(parse_text_metrics(metrics, lambda name: find_text_metric(name).name))
    except SchemaError:
        return fields
    if not specs:
        return fields
    rank_by: list[SuggestedKey] = [{"key": specs[0].name, "direction": _direction(specs[0])}]
    return {**fields, "scoring_strategy": "metric", "rank_by": rank_by}


def _direction(spec: TextSpec) -> Direction:
    return find_text_metric(spec.id).direction


def _known(metrics: Any) -> Any:
    if not isinstance(metrics, list):
        return metrics
    return [
        {name: metric[name] for name in metric if name in TextMetricEntry.model_fields}
        if isinstance(metric, Mapping)
        else metric
        for metric in metrics
    ]
