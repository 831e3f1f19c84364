from __future__ import annotations

from typing import Any

from rest_framework import serializers

from leaderboard.models import Annotation


class VerificationSerializer(serializers.Serializer[Any]):
    """Who has checked an attempt."""

    by = serializers.CharField(source="name")
    link = serializers.CharField(allow_blank=True, help_text="A page that tells how; or empty.")
    at = serializers.DateTimeField()


class AnnotationSerializer(serializers.Serializer[Any]):
    """What an organiser notes about an attempt."""

    id = serializers.UUIDField()
    text = serializers.CharField()
    public = serializers.BooleanField(source="is_public")
    by = serializers.SerializerMethodField()
    at = serializers.DateTimeField()

    def get_by(self, note: Annotation) -> str:
        """The user name of the organiser; empty if the account is gone."""
        return note.by.get_username() if note.by else ""


class AnnotationListSerializer(serializers.Serializer[Any]):
    results = AnnotationSerializer(many=True)
