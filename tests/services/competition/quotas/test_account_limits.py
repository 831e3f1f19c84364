"""Limits count for accounts: several names of one account have no more attempts than one."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from leaderboard.models import AccountUse, Attempt, Challenge, Grant, Participant, Phase, User
from leaderboard.services.attempts.new_attempts import NewAttempt
from leaderboard.services.attempts.retry import withdraw_attempt
from leaderboard.services.attempts.submit import submit_attempt, submit_many
from leaderboard.services.competition.quotas.recount import recount_quotas, verify_quotas
from leaderboard.services.competition.quotas.state import quotas_of
from leaderboard.services.errors import ServiceError
from tests.services.competition.moments import NOON, At, take_names
from tests.services.competition.relays import joined
from tests.services.refusals import refusal
from tests.services.threads import at_once

pytestmark = pytest.mark.django_db

NAMES = ("atlas", "bravo", "comet")


@pytest.fixture
def names(sprint: Challenge, phase: Phase, bob: User) -> None:
    """bob takes part under several names, from before the limits."""
    take_names(sprint, bob, *NAMES)


def limit(**limits: Any) -> None:
    Phase.objects.update(**limits)


def used() -> dict[str, int]:
    return dict(AccountUse.objects.filter(used__gt=0).values_list("kind", "used"))


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize("kind", ["per_day", "per_week", "total", "at_once"])
@pytest.mark.parametrize("in_bulk", [False, True])
def test_names_share_a_limit(
    sprint: Challenge, submit_at: At, bob: User, kind: str, in_bulk: bool
) -> None:
    limit(**{kind: 2})
    if in_bulk:
        news = [NewAttempt(name) for name in NAMES]
        bulk = submit_many(challenge=sprint, user=bob, news=news, received_at=NOON)
        ((position, refused),) = bulk.rejected
        assert position == 2
    else:
        for name in NAMES[:2]:
            submit_at(NOON, name)
        refused = refusal(lambda: submit_at(NOON, NAMES[2]))
    assert refused.code == "quota"
    assert {key: refused.facts[key] for key in ("quota", "limit", "used")} == {
        "quota": kind,
        "limit": 2,
        "used": 2,
    }
    assert Attempt.objects.count() == 2
    assert verify_quotas(sprint) == []


@pytest.mark.usefixtures("names")
def test_names_have_limits_of_their_own_if_the_phase_says_so(
    sprint: Challenge, submit_at: At, bob: User
) -> None:
    limit(total=1, limits_per="name")
    for name in (*NAMES, "another"):
        submit_at(NOON, name)
    assert refusal(lambda: submit_at(NOON, "atlas")).code == "quota"
    assert used() == {}
    assert verify_quotas(sprint) == []


@pytest.mark.usefixtures("names")
def test_what_is_left_is_told_for_each_name(
    sprint: Challenge, phase: Phase, submit_at: At, bob: User
) -> None:
    limit(total=3)
    phase.refresh_from_db()
    submit_at(NOON, "atlas")
    submit_at(NOON, "atlas")
    ids = list(Participant.objects.values_list("pk", flat=True))
    states = quotas_of(phase, ids, NOON, account=bob)
    assert {state.left for quotas in states.values() for state in quotas} == {1}


@pytest.mark.usefixtures("names")
def test_grants_of_a_participant_count_for_its_attempts(phase: Phase, submit_at: At) -> None:
    limit(total=1)
    bravo = Participant.objects.get(handle="bravo")
    Grant.objects.create(phase=phase, participant=bravo, extra=1, reason="An outage")
    submit_at(NOON, "atlas")
    submit_at(NOON, "bravo")
    for name in NAMES:
        assert refusal(partial(submit_at, NOON, name)).code == "quota"


@pytest.mark.usefixtures("names")
def test_what_does_not_count_is_given_back(sprint: Challenge, submit_at: At) -> None:
    limit(total=2)
    first, _second = submit_at(NOON, "atlas"), submit_at(NOON, "bravo")
    withdraw_attempt(first, reason="A mistake")
    assert used() == {"total": 1}
    submit_at(NOON, "comet")
    assert verify_quotas(sprint) == []
    AccountUse.objects.update(used=7)
    assert verify_quotas(sprint)
    recount_quotas(sprint)
    assert used() == {"total": 2}


def test_members_of_a_team_share_its_limit_and_take_theirs_along(
    relay: Challenge, bob: User, eve: User
) -> None:
    """eve has submitted all attempts of the team: in another one she has none left."""
    limit(total=2)
    joined(relay, bob, eve)

    def submit(user: User) -> None:
        submit_attempt(challenge=relay, user=user, new=NewAttempt("Tulips"))

    submit(eve)
    submit(eve)
    assert refusal(lambda: submit(bob)).code == "quota"
    kinds = AccountUse.objects.values_list("user__username", "used")
    assert dict(kinds) == {"eve": 2}


@pytest.mark.django_db(transaction=True)
def test_simultaneous_attempts_under_several_names_keep_the_limit(
    sprint: Challenge, phase: Phase, bob: User
) -> None:
    take_names(sprint, bob, *NAMES)
    limit(total=4)

    def is_accepted(name: str) -> bool:
        try:
            submit_attempt(challenge=sprint, user=bob, new=NewAttempt(name), received_at=NOON)
        except ServiceError as error:
            return error.code != "quota"
        return True

    assert sum(at_once([partial(is_accepted, name) for name in NAMES * 7])) == 4
    assert Attempt.objects.count() == 4
    assert verify_quotas(sprint) == []
