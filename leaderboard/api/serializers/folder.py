from __future__ import annotations

from typing import Any

from rest_framework import serializers


class PutFolderSerializer(serializers.Serializer[Any]):
    """What a folder has changed."""

    created = serializers.BooleanField(
        source="is_new", help_text="Whether the challenge is new, and a draft."
    )
    changed = serializers.ListField(
        child=serializers.CharField(),
        help_text="The fields that have changed, and `references` if these have.",
    )
    scoring_version = serializers.IntegerField()
    attempts = serializers.IntegerField(
        help_text="How many attempts there are to score again; 0 without a new scoring version."
    )
    url = serializers.CharField()
    html_url = serializers.CharField(source="challenge.get_absolute_url")
