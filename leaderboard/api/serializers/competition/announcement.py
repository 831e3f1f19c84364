from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from leaderboard.models import Announcement


class AnnouncementSerializer(serializers.Serializer[Any]):
    """What organisers tell everybody who may see their challenge."""

    id = serializers.UUIDField()
    title = serializers.CharField()
    text = serializers.CharField(allow_blank=True, help_text="Markdown.")
    at = serializers.DateTimeField()
    changed_at = serializers.DateTimeField(allow_null=True, help_text="Null: never.")


class AnnouncementPageSerializer(serializers.Serializer[Any]):
    results = AnnouncementSerializer(many=True)
    next = serializers.CharField(allow_null=True)


def announcement_json(announcement: Announcement) -> Mapping[str, object]:
    return AnnouncementSerializer(announcement).data
