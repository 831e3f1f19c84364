from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from leaderboard.models import Registration, RegistrationRules
from leaderboard.schemas.choices import BracketChoice, RegistrationMode, RegistrationStatus, RowKind

HIDDEN = ("code", "invited")
"""Fields of the rules that only organisers can read."""


def _choices(kind: Any) -> list[str]:
    return [choice.value for choice in kind]


class RegistrationRulesSerializer(serializers.Serializer[Any]):
    """Who may take part in a challenge."""

    mode = serializers.ChoiceField(choices=_choices(RegistrationMode))
    code = serializers.CharField(required=False, help_text="Only organisers read it.")
    domains = serializers.ListField(child=serializers.CharField())
    invited = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Only organisers read it."
    )
    questions = serializers.ListField(child=serializers.DictField())
    terms = serializers.CharField(allow_blank=True)
    terms_version = serializers.IntegerField(min_value=0)
    brackets = serializers.ListField(child=serializers.CharField())
    bracket_choice = serializers.ChoiceField(choices=_choices(BracketChoice))
    smallest_team = serializers.IntegerField(min_value=1)
    largest_team = serializers.IntegerField(min_value=1)
    teams_fixed_at = serializers.DateTimeField(allow_null=True)


class RegistrationSerializer(serializers.Serializer[Any]):
    """A participant in a challenge, for its members and for organisers."""

    participant = serializers.CharField(source="participant.handle")
    slug = serializers.CharField(source="participant.slug")
    name = serializers.CharField(source="participant.shown_name")
    kind = serializers.CharField(source="participant.kind")
    status = serializers.ChoiceField(choices=_choices(RegistrationStatus))
    answers = serializers.DictField()
    terms_version = serializers.IntegerField(
        min_value=0, help_text="Of the terms that were accepted; 0: none were."
    )
    bracket = serializers.CharField(allow_blank=True)
    reason = serializers.CharField(allow_blank=True, help_text="Why it was declined.")
    created_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)
    row = serializers.ChoiceField(
        source="row_kind",
        choices=_choices(RowKind),
        help_text="`ranked`, or out of the ranking: shown in its place, without a rank.",
    )
    disqualified_at = serializers.DateTimeField(allow_null=True)
    disqualified_reason = serializers.CharField(
        allow_blank=True, help_text="Everybody reads it on the board."
    )
    appeal = serializers.CharField(allow_blank=True, help_text="What its members answer.")
    appealed_at = serializers.DateTimeField(allow_null=True)
    appeal_answer = serializers.CharField(
        allow_blank=True, help_text="What organisers answer to the appeal, for its members."
    )
    appeal_answered_at = serializers.DateTimeField(allow_null=True)


class RegistrationPageSerializer(serializers.Serializer[Any]):
    results = RegistrationSerializer(many=True)
    next = serializers.CharField(allow_null=True)


def rules_json(rules: RegistrationRules, *, organiser: bool) -> Mapping[str, object]:
    """The rules. Fields that only organisers can read are omitted unless `organiser` is true."""
    fields = dict(RegistrationRulesSerializer(rules).data)
    return fields if organiser else {k: v for k, v in fields.items() if k not in HIDDEN}


def registration_json(registration: Registration) -> Mapping[str, object]:
    return RegistrationSerializer(registration).data
