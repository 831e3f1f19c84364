"""Tenants and users of several folders' tests."""

from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from leaderboard.models import Challenge, Entry, Membership, Participant, Tenant, User
from leaderboard.services.competition.participants.participant_rows import Entrants


@pytest.fixture
def tenant(db: None) -> Tenant:
    return Tenant.objects.create(slug="default", name="Default")


@pytest.fixture
def bob(db: None) -> User:
    """A user who submits."""
    return User.objects.create_user("bob")


def participant_named(
    *,
    challenge: Challenge,
    handle: str,
    user: User,
    organiser: bool,
    name: str = "",
    kind: str = "",
) -> Participant:
    """The participant with this handle at a challenge, made when it is new."""
    with transaction.atomic():
        entrants = Entrants(challenge, user, organiser=organiser)
        entrants.find([handle])
        entrant = entrants.of(handle, name, kind)
        entrants.keep(entrant)
        entrants.make()
        entrants.check(entrant)
    return entrant.participant()


def organiser_of(tenant: Tenant, name: str, **fields: Any) -> User:
    user = User.objects.create_user(name, **fields)
    Membership.objects.create(tenant=tenant, user=user, role=Membership.Role.ORGANISER)
    return user


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def give_each_an_account(challenge: Challenge) -> None:
    """Let an account of its own take part as each participant of a challenge."""
    for entry in Entry.objects.filter(challenge=challenge).select_related("participant"):
        entry.user = User.objects.create_user(f"owner-{entry.participant.slug}")
        entry.save()
        Participant.objects.filter(pk=entry.participant_id).update(owner=entry.user)
