from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rest_framework import serializers

from leaderboard.models import Entry, TeamMerge


class TeamMemberSerializer(serializers.Serializer[Any]):
    """A member of a team."""

    username = serializers.CharField(source="user.username")
    role = serializers.ChoiceField(choices=Entry.Role.values)
    joined_at = serializers.DateTimeField()
    is_waiting = serializers.BooleanField(
        help_text="Joined after the team was accepted; organisers have not decided about them yet."
    )


class WaitingMemberSerializer(serializers.Serializer[Any]):
    """Somebody who has joined a team, and about whom organisers have not decided yet."""

    username = serializers.CharField(source="user.username")
    participant = serializers.CharField(source="participant.handle")
    slug = serializers.CharField(source="participant.slug")
    answers = serializers.DictField()
    joined_at = serializers.DateTimeField()


class TeamSerializer(serializers.Serializer[Any]):
    """A team, for its members."""

    participant = serializers.CharField(source="own.participant.handle")
    slug = serializers.CharField(source="own.participant.slug")
    name = serializers.CharField(source="own.participant.shown_name")
    members = TeamMemberSerializer(many=True)
    asks_to_join = serializers.CharField(
        source="asked.asked_name",
        default=None,
        allow_null=True,
        help_text="The team that this one has asked to become a part of, as its captain named it.",
    )
    asked_by = serializers.ListField(
        child=serializers.CharField(),
        help_text="The slugs of the teams that ask to become a part of this one.",
    )


class TeamLinkSerializer(serializers.Serializer[Any]):
    """A link to join a team. The code is shown only in this answer."""

    code = serializers.CharField()
    url = serializers.CharField(help_text="Whoever is signed in and opens it joins the team.")
    expires_at = serializers.DateTimeField()


def team_json(
    own: Entry, members: Sequence[Entry], asked: TeamMerge | None, offered: Sequence[TeamMerge]
) -> Mapping[str, object]:
    slugs = [invitation.team.slug for invitation in offered]
    return TeamSerializer({"own": own, "members": members, "asked": asked, "asked_by": slugs}).data
