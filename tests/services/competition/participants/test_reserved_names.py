"""The name of a deleted account with results is given to nobody else."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Challenge, Participant, ReservedName, Tenant, User
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.competition.participants.names import rename
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.scoring.single import score_waiting
from tests.services.competition.relays import code_of, elsewhere, submitted

pytestmark = pytest.mark.django_db


@pytest.fixture
def sprint(tenant: Tenant, bob: User, eve: User) -> Challenge:
    """bob was first, as Winner and once as Victor; eve takes part, and bob is gone."""
    challenge = elsewhere(tenant)
    submitted(challenge, bob, "Victor")
    rename(Participant.objects.get(), "Winner")
    submitted(challenge, eve, "eve")
    score_waiting()
    erase_account(bob)
    return challenge


@pytest.mark.parametrize("name", ["Winner", "WINNER", "Victor", "winner "])
def test_nobody_else_gets_the_name(sprint: Challenge, eve: User, dan: User, name: str) -> None:
    mine = Participant.objects.get(handle="eve")
    for act in (
        lambda: rename(mine, name),
        lambda: submitted(sprint, dan, name),
        lambda: register(sprint, dan, {"participant": name}),
    ):
        assert code_of(act) == "conflict"
    assert not Participant.objects.filter(slug__in=["winner", "victor"]).exists()


@pytest.mark.parametrize("name", ["Winner!", "victor?"])
def test_nobody_else_gets_the_address_of_the_name(
    sprint: Challenge, eve: User, dan: User, name: str
) -> None:
    submitted(sprint, dan, name)
    rename(Participant.objects.get(handle="eve"), f"({name})")
    assert not Participant.objects.filter(slug__in=["winner", "victor"]).exists()
    for address in ("winner", "victor"):
        for page in (f"/c/sprint/p/{address}/", f"/c/sprint/p/{address}/badge.svg"):
            assert Client().get(page).status_code == 404, page


def test_the_name_itself_is_not_stored(sprint: Challenge) -> None:
    assert {len(reserved_name.digest) for reserved_name in ReservedName.objects.all()} == {64}
    assert ReservedName.objects.count() == 2


def test_organisers_may_bring_the_name_back(sprint: Challenge, dan: User) -> None:
    submitted(sprint, dan, "Winner", organiser=True)


def test_a_name_without_results_is_free(tenant: Tenant, bob: User, eve: User, dan: User) -> None:
    challenge = elsewhere(tenant)
    register(challenge, bob, {"participant": "Quiet"})
    submitted(challenge, eve, "Waiting")
    erase_account(bob)
    erase_account(eve)
    for name in ("Quiet", "Waiting"):
        submitted(challenge, dan, name)
