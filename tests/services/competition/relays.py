"""Challenges for teams, the people who take part in them, and what they do."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction

from leaderboard.models import Attempt, Challenge, Entry, Phase, Tenant, User
from leaderboard.services.accounts.team_links import join_by_code, make_team_link
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.errors import ServiceError
from tests.people import organiser_of, signed_in


@pytest.fixture
def eve(db: None) -> User:
    return User.objects.create_user("eve")


@pytest.fixture
def dan(db: None) -> User:
    return User.objects.create_user("dan")


@pytest.fixture
def relay(tenant: Tenant, bob: User) -> Challenge:
    """A challenge for teams of at most two; bob has registered one."""
    fields = {"name": "Relay", "scoring_strategy": "fastest"}
    ann = organiser_of(tenant, "ann")
    challenge = create_challenge(tenant=tenant, user=ann, fields=fields)
    declare_rules(challenge, {"largest_team": 2})
    register(challenge, bob, {"participant": "Tulips", "kind": "team"})
    return challenge


def joined(challenge: Challenge, captain: User, user: User) -> Entry:
    _link, code = make_team_link(challenge, captain)
    return join_by_code(challenge, code, user)


def submitted(challenge: Challenge, user: User, name: str, *, organiser: bool = False) -> Attempt:
    new = NewAttempt(name, {"elapsed_ms": 5, "succeeded": True})
    challenge = Challenge.objects.get(pk=challenge.pk)
    return submit_attempt(challenge=challenge, user=user, new=new, organiser=organiser)[0]


def code_of(act: Callable[[], object]) -> str:
    """The code of the error that an act ends with."""
    with pytest.raises(ServiceError) as caught, transaction.atomic():
        act()
    return caught.value.code


def elsewhere(tenant: Tenant, **phase: int) -> Challenge:
    """Another challenge of the same tenant; `phase` has the limits of its only phase."""
    fields = {"name": "Sprint", "scoring_strategy": "fastest"}
    challenge = create_challenge(tenant=tenant, user=organiser_of(tenant, "una"), fields=fields)
    Phase.objects.filter(challenge=challenge).update(**phase)
    return challenge


def team_page(challenge: Challenge, user: User) -> str:
    return signed_in(user).get(f"/c/{challenge.slug}/team/").content.decode()
