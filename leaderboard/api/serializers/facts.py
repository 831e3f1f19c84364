"""The facts of an attempt as serializers: as they are submitted, and as they are read."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from leaderboard.api.fields import EpochMilliseconds, Flag, Number, StrictSerializer, WholeNumber
from leaderboard.facts import Fact, known_facts

Field = serializers.Field[Any, Any, Any, Any]

METRICS_EXAMPLE = {
    key: fact.example for key, fact in known_facts().items() if fact.example is not None
}
METRICS_READ_EXAMPLE = {
    **METRICS_EXAMPLE,
    **{key: METRICS_EXAMPLE.get(key) for key in known_facts()},
}


class MetricsSerializer(StrictSerializer):
    """The facts of one try. Any may be absent or null."""

    def get_fields(self) -> dict[str, Field]:
        return {key: _submitted(fact) for key, fact in known_facts().items()}


class ReportedMetricsSerializer(serializers.Serializer[Any]):
    """The facts as they were submitted; absent ones are null."""

    def get_fields(self) -> dict[str, Field]:
        return {key: _read(fact) for key, fact in known_facts().items()}


def _submitted(fact: Fact) -> Field:
    options: dict[str, Any] = {
        "required": False,
        "allow_null": True,
        "help_text": f"{fact.description}.",
    }
    match fact.kind:
        case "flag":
            return Flag(**options)
        case "count":
            return WholeNumber(min_value=0, max_value=fact.most, **options)
        case "number":
            return Number(min_value=0, max_value=fact.most, **options)
        case "moment":
            return EpochMilliseconds(**options)


def _read(fact: Fact) -> Field:
    match fact.kind:
        case "flag":
            return serializers.BooleanField(allow_null=True)
        case "number":
            return serializers.FloatField(allow_null=True)
        case "count" | "moment":
            return serializers.IntegerField(allow_null=True)
