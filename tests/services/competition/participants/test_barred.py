"""A decision against a participant holds for its people, whatever name they use next."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from leaderboard.models import Challenge, Entry, Registration, Tenant, User
from leaderboard.services.attempts.new_attempts import NewAttempt
from leaderboard.services.attempts.submit import submit_many
from leaderboard.services.competition.participants.disqualification import disqualify, reinstate
from leaderboard.services.competition.participants.registration import (
    decide,
    declare_rules,
    register,
    withdraw_rules,
)
from tests.people import bob, tenant
from tests.services.competition.relays import code_of, dan, elsewhere, eve, joined, relay, submitted

__all__ = ["bob", "dan", "eve", "relay", "tenant"]

pytestmark = pytest.mark.django_db

WHY = {"reason": "It read the answers."}
Decision = Callable[[Registration], object]


def _out(registration: Registration) -> object:
    return disqualify(registration, WHY, by=None)


def _declined(registration: Registration) -> object:
    return decide(registration, by=None, fields={"status": "declined", "reason": "No address."})


def _of(challenge: Challenge, name: str) -> Registration:
    return Registration.objects.get(challenge=challenge, participant__handle=name)


@pytest.mark.parametrize(
    ("decision", "code"), [(_out, "disqualified"), (_declined, "not_registered")]
)
@pytest.mark.parametrize("rules", [None, {}, {"largest_team": 2}])
def test_no_other_name_of_the_account_goes_on(
    tenant: Tenant, bob: User, eve: User, decision: Decision, code: str, rules: object
) -> None:
    sprint = elsewhere(tenant)
    submitted(sprint, bob, "older")  # a name from before the rules
    submitted(sprint, bob, "bob")
    if rules is not None:
        declare_rules(sprint, rules)
    decision(_of(sprint, "bob"))
    for name in ("older", "newer"):
        assert code_of(lambda name=name: submitted(sprint, bob, name)) in (code, "not_registered")  # type: ignore[misc]
    many = submit_many(challenge=sprint, user=bob, news=[NewAttempt("a"), NewAttempt("older")])
    assert (len(many.accepted), len(many.rejected)) == (0, 2)
    assert code_of(lambda: register(sprint, bob, {"participant": "newer"})) in (code, "conflict")
    submitted(sprint, eve, "eve")
    withdraw_rules(sprint)
    assert code_of(lambda: submitted(sprint, bob, "newest")) == code
    assert code_of(lambda: register(sprint, bob, {"participant": "newest"})) == code


def test_until_the_decision_is_undone(tenant: Tenant, bob: User) -> None:
    sprint = elsewhere(tenant)
    submitted(sprint, bob, "bob")
    _out(_of(sprint, "bob"))
    reinstate(_of(sprint, "bob"), by=None)
    submitted(sprint, bob, "another")


def test_all_members_of_a_team_and_those_who_submitted_for_it(
    tenant: Tenant, relay: Challenge, bob: User, eve: User, dan: User
) -> None:
    """In a challenge without rules, members of a team elsewhere submit for it."""
    joined(relay, bob, eve)
    sprint = elsewhere(tenant)
    submitted(sprint, bob, "Tulips")
    submitted(sprint, eve, "Tulips")
    assert not Entry.objects.filter(challenge=sprint, user=eve).exists()
    _out(_of(sprint, "Tulips"))
    for user in (bob, eve):
        assert code_of(lambda user=user: submitted(sprint, user, "Roses")) == "disqualified"  # type: ignore[misc]
    submitted(sprint, dan, "Roses")
    submitted(relay, eve, "Tulips")  # another challenge


def test_an_owner_whose_name_others_use_here_goes_on(
    tenant: Tenant, relay: Challenge, bob: User, eve: User
) -> None:
    """bob owns the name, but only eve is a member in the challenge."""
    sprint = elsewhere(tenant)
    submitted(sprint, bob, "Tulips")
    Entry.objects.filter(challenge=sprint).update(user=eve)
    sprint.attempts.all().delete()
    _out(_of(sprint, "Tulips"))
    submitted(sprint, bob, "bob")
    assert code_of(lambda: submitted(sprint, eve, "eve")) == "disqualified"


def test_members_of_a_barred_participant_join_no_team(
    relay: Challenge, bob: User, dan: User
) -> None:
    """dan takes part under a name from before the rules, and under none that he may keep."""
    withdraw_rules(relay)
    submitted(relay, dan, "dan")
    _out(_of(relay, "dan"))
    declare_rules(relay, {"largest_team": 2})
    assert code_of(lambda: joined(relay, bob, dan)) == "disqualified"
