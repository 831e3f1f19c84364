"""Participants with attempts are registered, and new owners of names get their places."""

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


def test_a_new_owner_from_before_takes_the_place_of_the_former_one(
    tenant: Tenant, bob: User
) -> None:
    fields = {"name": "Sprint", "scoring_strategy": "fastest"}
    challenge = create_challenge(tenant=tenant, user=bob, fields=fields)
    for name in ("atlas", "boreas", "notus"):
        submit_attempt(challenge=challenge, user=bob, new=NewAttempt(name, {}))
    eve, dan = User.objects.create_user("eve"), User.objects.create_user("dan")
    Participant.objects.filter(handle="atlas").update(owner=eve)
    passed_on = Participant.objects.get(handle="boreas")
    Participant.objects.filter(pk=passed_on.pk).update(owner=dan)
    elsewhere = create_challenge(tenant=tenant, user=bob, fields={**fields, "name": "Relay"})
    Entry.objects.create(challenge=elsewhere, participant=passed_on, user=dan)
    migration = import_module("leaderboard.migrations.0061_places_of_new_owners")
    for _again in range(2):
        migration.take_places(apps, connection.schema_editor())
    here = Entry.objects.current().filter(challenge=challenge).order_by("participant__handle")
    assert list(here.values_list("participant__handle", "user__username", "role")) == [
        ("atlas", "eve", "captain"),
        ("boreas", "bob", "captain"),
        ("notus", "bob", "captain"),
    ]
    assert Entry.objects.get(participant__handle="atlas", user=bob).left_at is not None
