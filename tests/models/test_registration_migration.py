"""Participants with attempts from before registrations are registered."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from leaderboard.models import Entry, Participant, Registration, Tenant, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.challenges.challenges import create_challenge
from tests.people import bob, tenant

__all__ = ["bob", "tenant"]

pytestmark = pytest.mark.django_db


def test_who_has_attempts_is_registered(tenant: Tenant, bob: User) -> None:
    fields = {"name": "Sprint", "scoring_strategy": "fastest"}
    challenge = create_challenge(tenant=tenant, user=bob, fields=fields)
    for name in ("atlas", "atlas", "boreas"):
        submit_attempt(challenge=challenge, user=bob, new=NewAttempt(name, {}))
    Participant.objects.filter(handle="boreas").update(owner=None)
    Registration.objects.all().delete()
    Entry.objects.all().delete()
    migration = import_module("leaderboard.migrations.0029_registrations_of_attempts")
    for _again in range(2):
        migration.register(apps, connection.schema_editor())
    registered = Registration.objects.order_by("participant__handle")
    assert list(registered.values_list("participant__handle", "status")) == [
        ("atlas", "accepted"),
        ("boreas", "accepted"),
    ]
    entries = Entry.objects.values_list("user", "participant__handle", "role")
    assert list(entries) == [(bob.pk, "atlas", "captain")]
