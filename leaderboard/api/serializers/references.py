from __future__ import annotations

from typing import Any

from rest_framework import serializers


class HoldingSerializer(serializers.Serializer[Any]):
    """The references that a challenge holds now."""

    instances = serializers.IntegerField(source="references.instance_count", min_value=1)
    scoring_version = serializers.IntegerField(
        source="config.number", help_text="The version that holds them."
    )
    warnings = serializers.ListField(
        child=serializers.CharField(), help_text="What was left out, and what is missing."
    )
