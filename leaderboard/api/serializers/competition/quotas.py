from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework import serializers

EXAMPLE = {
    "phase": "warm-up",
    "state": "open",
    "opens_at": "2026-03-02T09:00:00Z",
    "closes_at": "2026-03-09T09:00:00Z",
    "time_zone": "Europe/Berlin",
    "limits": {"per_day": 5, "per_week": None, "per_month": None, "total": None, "at_once": None},
    "participants": [
        {
            "participant": "atlas",
            "agreed_until": None,
            "quotas": [
                {"quota": "per_day", "limit": 5, "used": 5, "next_at": "2026-03-03T23:00:00Z"}
            ],
        }
    ],
}


class LimitsSerializer(serializers.Serializer[Any]):
    per_day = serializers.IntegerField(allow_null=True)
    per_week = serializers.IntegerField(allow_null=True)
    per_month = serializers.IntegerField(allow_null=True)
    total = serializers.IntegerField(allow_null=True)
    at_once = serializers.IntegerField(allow_null=True)


class QuotaStateSerializer(serializers.Serializer[Any]):
    quota = serializers.ChoiceField(
        choices=("per_day", "per_week", "per_month", "total", "at_once")
    )
    limit = serializers.IntegerField(help_text="With the extra attempts that organisers gave.")
    used = serializers.IntegerField(help_text="Attempts that count towards the limit.")
    next_at = serializers.DateTimeField(
        allow_null=True,
        help_text="If the limit is reached: when the next attempt is possible; null: not known.",
    )


class ParticipantQuotasSerializer(serializers.Serializer[Any]):
    participant = serializers.CharField(help_text="Its slug.")
    agreed_until = serializers.DateTimeField(
        allow_null=True,
        help_text="Until when it may submit to this phase, which has closed; null: no agreement.",
    )
    quotas = QuotaStateSerializer(many=True)


@extend_schema_serializer(examples=[OpenApiExample("used", EXAMPLE, response_only=True)])
class QuotaSerializer(serializers.Serializer[Any]):
    """The current phase (or the next or last one), its limits, and how much of them is used."""

    phase = serializers.CharField(source="current.phase.slug")
    state = serializers.ChoiceField(
        source="current.state",
        choices=("open", "not_open", "closed"),
        help_text="`not_open`: the phase is the next one; `closed`: it was the last one.",
    )
    opens_at = serializers.DateTimeField(source="current.phase.opens_at", allow_null=True)
    closes_at = serializers.DateTimeField(source="current.phase.closes_at", allow_null=True)
    time_zone = serializers.CharField(source="current.phase.time_zone")
    limits = LimitsSerializer(source="current.phase", help_text="Null: no limit.")
    participants = ParticipantQuotasSerializer(many=True)
