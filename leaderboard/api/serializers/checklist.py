from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework import serializers

EXAMPLE = {
    "is_ready": True,
    "points": [
        {
            "key": "sample",
            "state": "missing",
            "text": "No sample attempt has been scored and ranked yet.",
            "link": "/c/sprint/manage/",
        }
    ],
    "sample": None,
}


class PointSerializer(serializers.Serializer[Any]):
    key = serializers.CharField(
        help_text="`description`, `scoring`, `ranking`, `references`, `phases`, `registration`,"
        " `terms` (with rules of registration) or `sample`."
    )
    state = serializers.ChoiceField(choices=("ok", "warning", "missing"))
    text = serializers.CharField(help_text="The state in a sentence.")
    link = serializers.CharField(help_text="The page on which to look at it or change it.")


class SampleAttemptSerializer(serializers.Serializer[Any]):
    attempt = serializers.UUIDField(source="attempt.pk")
    state = serializers.ChoiceField(
        choices=("waiting", "ranked", "unranked", "failed", "withdrawn", "outdated"),
        help_text="`outdated`: the scoring has changed since it was sent.",
    )
    rank = serializers.IntegerField(source="reading.rank", allow_null=True)
    score = serializers.FloatField(source="reading.score.value", allow_null=True, default=None)
    error = serializers.CharField(source="why_failed", help_text="Empty without one.")


@extend_schema_serializer(examples=[OpenApiExample("sample", EXAMPLE, response_only=True)])
class ChecklistSerializer(serializers.Serializer[Any]):
    """What a draft needs before it is published."""

    is_ready = serializers.BooleanField(
        help_text="Whether it can be published: at most the sample attempt is missing."
    )
    points = PointSerializer(many=True)
    sample = SampleAttemptSerializer(allow_null=True)
