from __future__ import annotations

from typing import Any

from rest_framework import serializers

from leaderboard.models.api_token import SCOPES


class OwnParticipantSerializer(serializers.Serializer[Any]):
    """A participant that one may submit as."""

    handle = serializers.CharField()
    slug = serializers.CharField()
    tenant = serializers.CharField(source="tenant.slug")


class MeSerializer(serializers.Serializer[Any]):
    """Who asks, and what the token or the session allows."""

    user = serializers.CharField(allow_null=True, help_text="The username; null without one.")
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=SCOPES),
        help_text="What it allows; a session allows everything, nobody signed in nothing.",
    )
    tenant = serializers.CharField(
        allow_null=True, help_text="Where `organise` is valid; null for a session, or for nowhere."
    )
    challenge = serializers.CharField(
        allow_null=True, help_text="The only challenge that the token is for; null for all."
    )
    participant = serializers.CharField(
        allow_null=True, help_text="The only participant that the token submits as; null for all."
    )
    expires_at = serializers.DateTimeField(
        allow_null=True, help_text="When the token expires; null for never, and for a session."
    )
    participants = OwnParticipantSerializer(
        many=True, help_text="Those of the user, the first hundred, where the token may read them."
    )
    api = serializers.IntegerField(
        help_text="The number of the API, which grows when something is added to it."
    )
    site = serializers.CharField(
        help_text="Scheme and host of the site, to which the addresses in answers belong."
    )
