"""Challenges for teams, the people who take part in them, and what they do."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction

from leaderboard.models import Attempt, Challenge, Entry, Phase, Registration, Tenant, User
from leaderboard.schemas.registration import RegistrationAnswers
from leaderboard.services.accounts.team_links import join_by_code, make_team_link
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.errors import ServiceError
from tests.people import organiser_of, signed_in
from tests.services.conftest import Create


@pytest.fixture
def eve(db: None) -> User:
    return User.objects.create_user("eve")


@pytest.fixture
def dan(db: None) -> User:
    return User.objects.create_user("dan")


@pytest.fixture
def relay(create: Create, ann: User, bob: User) -> Challenge:
    """A challenge for teams of at most two; bob has registered one."""
    challenge = create("Relay")
    declare_rules(challenge, {"largest_team": 2})
    register(challenge, bob, {"participant": "Tulips", "kind": "team"})
    return challenge


@pytest.fixture
def two_teams(create: Create, ann: User, bob: User, eve: User, dan: User) -> Challenge:
    """Teams of at most three: bob leads the Tulips, eve leads the Roses, where dan is a member."""
    challenge = create("Relay", phases=[{"slug": "main", "total": 4, "per_day": 4}])
    declare_rules(challenge, {"largest_team": 3})
    register(challenge, bob, {"participant": "Tulips", "kind": "team"})
    register(challenge, eve, {"participant": "Roses", "kind": "team"})
    joined(challenge, eve, dan)
    return challenge


def joined(
    challenge: Challenge, captain: User, user: User, answers: RegistrationAnswers | None = None
) -> Entry:
    _link, code = make_team_link(challenge, captain)
    return join_by_code(challenge, code, user, answers)


def submitted(challenge: Challenge, user: User, name: str, *, organiser: bool = False) -> Attempt:
    new = NewAttempt(name, {"elapsed_ms": 5, "succeeded": True})
    challenge = Challenge.objects.get(pk=challenge.pk)
    return submit_attempt(challenge=challenge, user=user, new=new, organiser=organiser)[0]


def registration_named(challenge: Challenge, handle: str) -> Registration:
    registrations = Registration.objects.select_related("participant")
    return registrations.get(challenge=challenge, participant__handle=handle)


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
