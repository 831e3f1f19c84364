"""The facts of an attempt in answers."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from leaderboard.facts import Fact, known_facts

_Field = serializers.Field[Any, Any, Any, Any]

METRICS_EXAMPLE = {
    key: fact.example for key, fact in known_facts().items() if fact.example is not None
}
METRICS_READ_EXAMPLE = {
    **METRICS_EXAMPLE,
    **{key: METRICS_EXAMPLE.get(key) for key in known_facts()},
}


class ReportedMetricsSerializer(serializers.Serializer[Any]):
    """The facts as they were submitted; absent ones are null."""

    def get_fields(self) -> dict[str, _Field]:
        return {key: _read(fact) for key, fact in known_facts().items()}


def _read(fact: Fact) -> _Field:
    match fact.kind:
        case "flag":
            return serializers.BooleanField(allow_null=True)
        case "number":
            return serializers.FloatField(allow_null=True)
        case "count" | "moment":
            return serializers.IntegerField(allow_null=True)
