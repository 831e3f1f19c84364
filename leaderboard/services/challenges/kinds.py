"""The kinds of challenges, by how attempts are scored. The form for a new one has the same keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.db.models import Q

from leaderboard.models import ScoringConfig

_METRIC: Final = Q(shown_config__strategy="metric")
_TASKS: Final = _METRIC & ~Q(shown_config__metrics=[])
_NO_METRICS: Final = Q(shown_config__metrics=[], shown_config__text_metrics=[])
_TEXTS: Final = _METRIC & Q(shown_config__metrics=[]) & ~Q(shown_config__text_metrics=[])
KINDS_OF: Final[Mapping[str, Q]] = {
    "facts": ~Q(shown_config__strategy__in=("custom", "metric")),
    "scorer": Q(shown_config__strategy="custom"),
    "tasks": _TASKS,
    "texts": _TEXTS,
    "predictions": _METRIC & _NO_METRICS & ~Q(shown_config__prediction_metrics=[]),
    "files": _METRIC & _NO_METRICS & Q(shown_config__prediction_metrics=[]),
}
"""The challenges of each kind; a challenge is of one kind."""


def kind_of(config: ScoringConfig) -> str:
    """The key of the kind of a challenge with this shown config, as in `KINDS_OF`."""
    if config.strategy != "metric":
        return "scorer" if config.strategy == "custom" else "facts"
    if config.metrics:
        return "tasks"
    if config.text_metrics:
        return "texts"
    return "predictions" if config.prediction_metrics else "files"
