"""Tenants and users of several folders' tests."""

from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Challenge, Entry, Membership, Participant, Tenant, User


@pytest.fixture
def tenant(db: None) -> Tenant:
    return Tenant.objects.create(slug="default", name="Default")


@pytest.fixture
def bob(db: None) -> User:
    """A user who submits."""
    return User.objects.create_user("bob")


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
