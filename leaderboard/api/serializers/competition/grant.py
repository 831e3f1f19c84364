from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from leaderboard.models import Grant


class GrantSerializer(serializers.Serializer[Any]):
    """Extra attempts for one participant, or for all, in a phase, on top of each of its limits."""

    id = serializers.IntegerField(min_value=1)
    participant = serializers.CharField(
        source="participant.slug",
        default=None,
        allow_null=True,
        help_text="Its slug; null: all participants.",
    )
    phase = serializers.CharField(source="phase.slug")
    extra = serializers.IntegerField(min_value=0)
    until = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField()
    given_at = serializers.DateTimeField()


class GrantListSerializer(serializers.Serializer[Any]):
    results = GrantSerializer(many=True)


def grant_json(grant: Grant) -> Mapping[str, object]:
    return GrantSerializer(grant).data
