"""How a challenge compares files of predictions with its truth: metrics and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import AfterValidator, Field, TypeAdapter

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.value_names import MAX_TEXT_METRIC
from leaderboard.schemas.base import STRICT, Accepts, Items, Shorthand, Strict
from leaderboard.schemas.errors import checked
from leaderboard.schemas.text_metrics import (
    KnownTextMetric,
    TextMetricName,
    TextSpec,
    parse_text_metrics,
    without_colon,
)
from leaderboard.schemas.texts import EachOnce, Line

FIELD: Final = "prediction_metrics"
MAX_METRICS: Final = 50
MAX_TARGETS: Final = 100
MAX_COLUMN: Final = 120


class PredictionMetricEntry(Strict):
    """A metric of predictions, as a challenge lists it."""

    id: Annotated[str, Line(MAX_TEXT_METRIC), Field(description="In upper or lower case.")]
    parameters: JsonObject | None = None
    name: Annotated[
        Annotated[TextMetricName, AfterValidator(without_colon)] | None,
        Field(description="The column's key; the id, if it is absent."),
    ] = None


_ID_OR_OBJECT: Final = Accepts(
    message("must be the id of a metric of predictions, or an object with an id")
)
PredictionMetrics = Annotated[
    tuple[Annotated[PredictionMetricEntry, Shorthand("id", MAX_TEXT_METRIC), _ID_OR_OBJECT], ...],
    Items(MAX_METRICS),
]
_ENTRIES: Final[TypeAdapter[Sequence[PredictionMetricEntry]]] = TypeAdapter(
    PredictionMetrics, config=STRICT
)


Targets = Annotated[tuple[Annotated[str, Line(MAX_COLUMN)], ...], Items(MAX_TARGETS), EachOnce()]


def parse_prediction_metrics(
    entries: object,
    registered_id: KnownTextMetric | None = None,
    taken: Sequence[str] = (),
) -> tuple[TextSpec, ...]:
    """The metrics of predictions of a list of entries. They are named like text metrics.

    registered_id, taken: as for `parse_text_metrics`. Raises SchemaError.
    """
    checked(_ENTRIES, entries, FIELD)
    if registered_id is None:
        return parse_text_metrics(entries, at=FIELD)
    return parse_text_metrics(entries, registered_id, FIELD, taken=taken)
