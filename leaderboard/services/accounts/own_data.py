"""The export of all data that the server has about a user, for that user."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.core.serializers.json import DjangoJSONEncoder
from django.forms.models import model_to_dict

from leaderboard.models import ApiToken, Attempt, Participant, Score, TeamMerge, User
from leaderboard.rules.json.values import JsonObject
from leaderboard.services.competition.participants.ownership import registrations_as
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.rounding import rounded_copy, share_covered
from leaderboard.services.competition.visible.viewers import Viewer, access_of

ACCOUNT = (
    *("username", "first_name", "last_name", "email", "language", "date_joined", "last_login"),
    *("notice_ways", "time_zone"),
)
NOTICE = ("kind", "what", "body", "at", "read_at")
ATTEMPT_LEFT_OUT = ("lease_token", "lease_until", "deliveries", "body_hash")
TOKEN = ("name", "scopes", "challenge__slug", "participant__handle", "created", "expiry")
MERGE = ("asked_at", "merged_at")
ENTRY = ("role", "answers", "joined_at", "left_at")
REGISTRATION = ("status", "answers", "terms_version", "bracket", "reason", "appeal", "created_at")
SCORE = ("value", "raw_value", "metric_values", "error_code", "created_at")


def own_data(user: User) -> Iterator[str]:
    """Lines of JSON, each an object with one key, which names its kind.

    In this order: the account, addresses, accounts at providers, memberships, roles in challenges,
    tokens (not their text), entries in challenges, requests to merge teams, notices,
    registrations, participants, and attempts with their samples, instances and those scores that
    the organisers show.
    """
    yield from _about(user)
    accesses: dict[UUID, Access] = {}
    for attempt in (
        Attempt.objects.filter(submitted_by=user)
        .select_related("evidence", "evaluation", "participant", "challenge")
        .iterator(chunk_size=100)
    ):
        challenge = attempt.challenge
        if challenge.pk not in accesses:
            accesses[challenge.pk] = access_of(challenge, Viewer(user=user, organises=True))
        yield _line("attempt", _attempt(attempt, accesses[challenge.pk]))


def _about(user: User) -> Iterator[str]:
    """What comes before the attempts."""
    yield _line("account", {name: getattr(user, name) for name in ACCOUNT})
    for address in EmailAddress.objects.filter(user=user).values("email", "verified"):
        yield _line("address", address)
    for account in SocialAccount.objects.filter(user=user).values("provider", "uid", "extra_data"):
        yield _line("provider", account)
    yield from _places(user)
    for notice in user.notices.values("challenge__slug", *NOTICE):
        yield _line("notice", notice)
    for row in registrations_as(user).values(
        "challenge__slug", "participant__handle", *REGISTRATION
    ):
        yield _line("registration", row)
    for participant in Participant.objects.filter(owner=user):
        yield _line("participant", model_to_dict(participant))


def _places(user: User) -> Iterator[str]:
    """Where the user has rights, and takes part."""
    for place in user.memberships.values("tenant__slug", "role"):
        yield _line("membership", place)
    for role in user.challenge_roles.values("challenge__slug", "role", "added_at"):
        yield _line("role", role)
    for token in ApiToken.objects.filter(user=user).values(*TOKEN):
        yield _line("token", token)
    for entry in user.entries.values("challenge__slug", "participant__handle", *ENTRY):
        yield _line("entry", entry)
    asked = TeamMerge.objects.filter(asked_by=user)
    for merge in asked.values("challenge__slug", "team__handle", "asked_name", *MERGE):
        yield _line("team_merge", merge)


def _attempt(attempt: Attempt, access: Access) -> JsonObject:
    fields: JsonObject = {
        field.name: getattr(attempt, field.attname)
        for field in attempt._meta.fields
        if field.name not in ATTEMPT_LEFT_OUT
    }
    fields["challenge"] = attempt.challenge.slug
    fields["participant"] = attempt.participant.handle
    fields["scores"] = list(_scores(attempt, access))
    if hasattr(attempt, "evidence"):
        fields["samples"] = [list(sample) for sample in attempt.evidence.read()]
    if hasattr(attempt, "evaluation"):
        fields["instances"] = [
            row for block in attempt.evaluation.blocks.order_by("number") for row in block.rows()
        ]
    return fields


def _scores(attempt: Attempt, access: Access) -> Iterator[JsonObject]:
    """The scores of an attempt as far as the organisers show them."""
    if not access.sees_score(attempt):
        return
    decimals = access.decimals(attempt)
    config = attempt.challenge.shown
    for score in Score.objects.filter(attempt=attempt).select_related("config"):
        if not config.lets_show(score.config, attempt.phase_id):
            continue
        share = share_covered(score.config, score.metric_values)
        if access.covers_enough(attempt, share):
            visible_score = score if decimals is None else rounded_copy(score, decimals)
            numbers = {name: getattr(visible_score, name) for name in SCORE}
            yield {"config__number": score.config.number, **numbers}


def _line(kind: str, value: Any) -> str:
    return json.dumps({kind: value}, cls=DjangoJSONEncoder, ensure_ascii=False) + "\n"
