"""Who takes part in a challenge, for its organisers: lists, tables, messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django.db.models import Prefetch, QuerySet

from leaderboard.models import Challenge, Entry, Registration
from leaderboard.services.competition.participants.registration_rules import questions_of
from leaderboard.services.competition.participants.taking_part import rules_of

COLUMNS: Final = (
    "participant",
    "name",
    "kind",
    "status",
    "bracket",
    "members",
    "emails",
    "terms_version",
    "registered_at",
    "reason",
)


def registrations_with_members(challenge: Challenge) -> QuerySet[Registration]:
    """All registrations, the oldest first, each with `participant` and `members`: its entries,
    the captain's first.
    """
    entries = Entry.objects.current().filter(challenge=challenge).select_related("user")
    members = Prefetch(
        "participant__entries", entries.order_by("role", "joined_at", "pk"), to_attr="members"
    )
    registrations = Registration.objects.filter(challenge=challenge).select_related("participant")
    return registrations.order_by("created_at", "pk").prefetch_related(members)


def registrations_table(challenge: Challenge) -> Iterator[list[Any]]:
    """All registrations, with a column for each question, `answer_KEY`; first the names of the
    columns.
    """
    keys = [question.key for question in questions_of(rules_of(challenge))]
    yield [*COLUMNS, *(f"answer_{key}" for key in keys)]
    for registration in registrations_with_members(challenge):
        yield _row(registration, keys)


def _row(registration: Registration, keys: list[str]) -> list[Any]:
    participant = registration.participant
    members: list[Entry] = participant.members  # type: ignore[attr-defined]
    return [
        participant.handle,
        participant.shown_name,
        participant.kind,
        registration.status,
        registration.bracket,
        " ".join(member.user.username for member in members),
        " ".join(member.user.email for member in members if member.user.email),
        registration.terms_version,
        registration.created_at.isoformat(),
        registration.reason,
        *(registration.answers.get(key, "") for key in keys),
    ]
