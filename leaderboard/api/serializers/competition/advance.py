"""The answer about participants that move into the next phase."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class MovedSerializer(serializers.Serializer[Any]):
    participant = serializers.CharField(source="participant.handle")
    rank = serializers.IntegerField(min_value=1)
    attempt = serializers.UUIDField(help_text="The attempt that counted.")
    copy = serializers.UUIDField(
        allow_null=True, help_text="The attempt in the next phase; null in a dry run."
    )


class AdvanceSerializer(serializers.Serializer[Any]):
    """Who moves, the best first."""

    phase = serializers.CharField(source="into.slug", help_text="The next phase.")
    advanced_at = serializers.DateTimeField(
        source="at", allow_null=True, help_text="When they moved; null in a dry run."
    )
    moved = MovedSerializer(many=True)
