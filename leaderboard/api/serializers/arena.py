"""The board of an arena."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from leaderboard.api.serializers.board import BoardParticipantSerializer


class ArenaRowSerializer(serializers.Serializer[Any]):
    """A participant of an arena."""

    participant = BoardParticipantSerializer(help_text="Who is compared.")
    rank = serializers.IntegerField(allow_null=True, help_text="By the rating; null: not rated.")
    rank_interval_all = serializers.ListField(
        child=serializers.IntegerField(min_value=1),
        allow_null=True,
        help_text="The ranks that cannot be excluded, with 95 % confidence for all rows at once.",
    )
    rating = serializers.FloatField(
        allow_null=True,
        help_text="1000 on average; who has 400 more is preferred ten times as often.",
    )
    interval = serializers.ListField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text="95 %, clustered by voters: from, to; null below 8 voters.",
    )
    votes = serializers.IntegerField(help_text="How many are about it.")
    not_rated = serializers.ChoiceField(
        choices=["not_connected", "no_votes"],
        allow_null=True,
        help_text="Why there is no rating: it always won or always lost against the others.",
    )


class ArenaSerializer(serializers.Serializer[Any]):
    """The participants of an arena, best first."""

    votes = serializers.IntegerField(help_text="How many are counted.")
    voters = serializers.IntegerField(help_text="How many have voted.")
    computed_at = serializers.DateTimeField(
        allow_null=True, help_text="When a worker has counted them; null: not yet."
    )
    is_current = serializers.BooleanField(help_text="Whether every vote is counted.")
    rows = ArenaRowSerializer(many=True, help_text="The participants, best first.")


class VotesStoredSerializer(serializers.Serializer[Any]):
    """How many votes were stored."""

    stored = serializers.IntegerField(help_text="How many votes were stored.")
