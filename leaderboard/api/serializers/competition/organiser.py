from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework import serializers

from leaderboard.models import ChallengeRole
from leaderboard.services.competition.organisers.appointing import Organiser


class OrganiserSerializer(serializers.Serializer[Any]):
    """A user who organises or reviews a challenge."""

    username = serializers.CharField(source="user.username")
    name = serializers.CharField(source="user.get_full_name")
    role = serializers.ChoiceField(choices=[choice.value for choice in ChallengeRole.Role])
    of_tenant = serializers.BooleanField(
        help_text="Whether they organise every challenge of the tenant."
    )
    added_by = serializers.CharField(source="added_by.username", default=None, allow_null=True)
    added_at = serializers.DateTimeField(allow_null=True)


class OrganiserListSerializer(serializers.Serializer[Any]):
    """The organisers of the tenant, then co-organisers, then reviewers."""

    results = OrganiserSerializer(many=True)


def organiser_json(organiser: Organiser) -> Mapping[str, object]:
    return OrganiserSerializer(organiser).data


def organisers_json(organisers: Iterable[Organiser]) -> Mapping[str, object]:
    return OrganiserListSerializer({"results": organisers}).data
