from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework import serializers

from leaderboard.api.fields import JsonChoice, StrictSerializer
from leaderboard.api.serializers.challenge import SHOWN
from leaderboard.api.stored_fields import StoredField

STATE_EXAMPLE = {
    "on_code_change": "hold",
    "code": "7eefae0e646d3a8b",
    "code_now": "0cfb4e54c3d98bdd",
    "changed": True,
    "editions": [
        {"code": "7eefae0e646d3a8b", "scores": 41, "first_at": "2026-11-20T08:00:01Z"},
    ],
    "held": 3,
}
DECISIONS = [("rescore", "Score everything again"), ("go_on", "Go on with the new code")]


class EditionSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    scores = serializers.IntegerField(help_text="Scores of the board that it has made.")
    first_at = serializers.DateTimeField()


@extend_schema_serializer(examples=[OpenApiExample("held", STATE_EXAMPLE, response_only=True)])
class CodeStateSerializer(serializers.Serializer[Any]):
    """The code of a board's plugins, and what it has changed to."""

    on_code_change = StoredField(shape=SHOWN["on_code_change"], source="mode")
    code = serializers.CharField(help_text="That of the shown version; empty: none, or not known.")
    code_now = serializers.CharField(source="now", help_text="That of the files at the moment.")
    changed = serializers.BooleanField(help_text="Whether there is something to decide.")
    editions = EditionSerializer(many=True)
    held = serializers.IntegerField(help_text="Attempts that wait for a decision.")


class DecisionSerializer(StrictSerializer):
    """How a board goes on after its plugins have changed."""

    decision = JsonChoice(
        choices=DECISIONS,
        help_text="Score everything again by the new code, or only what comes from now on.",
    )
