"""A team that takes part in several challenges: who leads it there, and who owns its name."""

from __future__ import annotations

from functools import partial

import pytest

from leaderboard.models import Attempt, Challenge, Entry, Participant, Registration, Tenant, User
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.accounts.own_data import own_data
from leaderboard.services.attempts.read import read_attempts
from leaderboard.services.competition.participants.creating import change_participant
from leaderboard.services.competition.participants.importing import register_from_table
from leaderboard.services.competition.participants.ownership import is_own
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.competition.teams.membership import (
    change_team,
    leave,
    make_captain,
    members_of,
    remove_member,
)
from leaderboard.services.competition.visible.viewers import Viewer, access_of
from tests.services.competition.relays import code_of, elsewhere, joined, submitted, team_page

pytestmark = pytest.mark.django_db


@pytest.fixture
def sprint(relay: Challenge, tenant: Tenant, bob: User, eve: User, dan: User) -> Challenge:
    """Bob leads the Tulips in two challenges: in Relay with eve, and in Sprint with dan."""
    joined(relay, bob, eve)
    challenge = elsewhere(tenant)
    declare_rules(challenge, {"largest_team": 2})
    register(challenge, bob, {"participant": "Tulips"})
    joined(challenge, bob, dan)
    return challenge


def tulips() -> Participant:
    return Participant.objects.get(handle="Tulips")


def give_name_to(participant: Participant, owner: User) -> None:
    change_participant(participant, name="", kind="team", owner=owner)


def test_only_its_captain_registers_a_team(
    relay: Challenge, tenant: Tenant, bob: User, eve: User
) -> None:
    """Whoever registers a team is its captain there, and can rename it and give it away."""
    joined(relay, bob, eve)
    sprint = elsewhere(tenant)
    declare_rules(sprint, {"largest_team": 2})
    taken = {"participant": "Tulips", "kind": "team"}
    assert code_of(lambda: register(sprint, eve, taken)) == "permission_denied"
    table = "participant,members\nTulips,eve bob\n"
    assert code_of(lambda: register_from_table(sprint, table, by=bob)) == "invalid"
    assert code_of(lambda: submitted(sprint, eve, "Tulips")) == "not_registered"
    assert not Entry.objects.filter(challenge=sprint).exists()
    submitted(sprint, bob, "Tulips")
    joined(sprint, bob, eve)
    submitted(sprint, eve, "Tulips")


def test_a_captain_who_does_not_own_the_name_cannot_change_or_give_it_away(
    relay: Challenge, sprint: Challenge, bob: User, eve: User, dan: User
) -> None:
    make_captain(relay, bob, "eve")
    for change in ({"handle": "Weeds"}, {"name": "Weeds"}):
        assert code_of(partial(change_team, sprint, bob, **change)) == "permission_denied"
    offered = 'value="rename"'
    assert offered not in team_page(sprint, bob)
    assert offered in team_page(relay, eve)
    make_captain(sprint, bob, "dan")
    assert members_of(sprint, tulips())[0].user == dan
    assert tulips().owner == eve
    assert change_team(relay, eve, handle="Lilies").handle == "Lilies"


def test_the_oldest_team_of_an_erased_account_decides_who_owns_the_name(
    sprint: Challenge, bob: User, eve: User
) -> None:
    erase_account(bob)
    assert tulips().owner == eve
    assert members_of(sprint, tulips())[0].role == Entry.Role.CAPTAIN


def test_a_team_whose_captain_does_not_own_its_name_gets_another_captain(
    relay: Challenge, sprint: Challenge, bob: User, eve: User, dan: User
) -> None:
    make_captain(relay, bob, "eve")
    erase_account(bob)
    (member,) = members_of(sprint, tulips())
    assert (member.user, member.role) == (dan, Entry.Role.CAPTAIN)
    assert tulips().owner == eve


def test_a_team_keeps_its_name_and_attempts_when_its_owner_is_erased(
    relay: Challenge, sprint: Challenge, bob: User, eve: User, dan: User
) -> None:
    attempt = submitted(sprint, dan, "Tulips")
    make_captain(relay, bob, "eve")
    leave(relay, bob)
    erase_account(eve)
    attempt.refresh_from_db()
    assert (attempt.participant.handle, attempt.participant.owner) == ("Tulips", bob)


def test_a_member_of_a_team_has_one_quota(
    relay: Challenge, tenant: Tenant, bob: User, eve: User
) -> None:
    joined(relay, bob, eve)
    sprint = elsewhere(tenant, total=2)
    assert code_of(lambda: submitted(sprint, eve, "Tulips")) == "not_registered"
    submitted(sprint, eve, "eve")
    for user in (bob, eve):
        submitted(sprint, user, "Tulips")
    assert code_of(lambda: submitted(sprint, eve, "Tulips")) == "quota"


def test_another_owner_takes_the_place_of_the_former_one(
    relay: Challenge, tenant: Tenant, bob: User, eve: User, dan: User
) -> None:
    sprint = elsewhere(tenant)
    attempt = submitted(sprint, bob, "Tulips")
    team = attempt.participant
    give_name_to(team, eve)
    assert (is_own(attempt, eve), is_own(attempt, bob)) == (True, False)
    joined(relay, eve, bob)
    offered = 'value="leave"'
    assert [offered in team_page(relay, user) for user in (eve, bob)] == [False, True]
    give_name_to(team, bob)
    assert [(member.user, member.role) for member in members_of(relay, team)] == [
        (bob, Entry.Role.CAPTAIN),
        (eve, Entry.Role.MEMBER),
    ]
    make_captain(relay, bob, "eve")
    give_name_to(team, bob)
    give_name_to(team, eve)
    assert members_of(relay, team)[0].user == eve
    register(relay, dan, {"participant": "Roses"})
    give_name_to(team, dan)
    assert [member.user for member in members_of(relay, team)] == [eve, bob], "dan has a name there"
    assert [member.user for member in members_of(sprint, team)] == [dan]


def test_the_owner_of_a_name_has_no_say_in_a_team_of_others(
    relay: Challenge, tenant: Tenant, bob: User, eve: User
) -> None:
    joined(relay, bob, eve)
    sprint = elsewhere(tenant)
    declare_rules(sprint, {"largest_team": 2})
    register(sprint, bob, {"participant": "Tulips"})
    joined(sprint, bob, eve)
    attempt = submitted(sprint, bob, "Tulips")
    Registration.objects.filter(challenge=sprint).update(answers={"why": "Our secret."})
    make_captain(relay, bob, "eve")
    assert is_own(attempt, eve)
    remove_member(sprint, bob, "eve")
    attempt = Attempt.objects.get()
    assert attempt.participant.owner == eve
    Challenge.objects.filter(pk=sprint.pk).update(is_restricted=True)
    sprint.refresh_from_db()
    for user, own in ((bob, True), (eve, False)):
        assert is_own(attempt, user) is own
        access = access_of(sprint, Viewer(user))
        assert access.own == ({attempt.participant_id} if own else set())
        Attempt.objects.update(status=Attempt.Status.FAILED)
        ended = [Attempt.objects.get()]
        (reading,) = read_attempts(sprint, ended, reader=user, organiser=False, access=access)
        assert reading.details_open is own
        assert ('"Our secret."' in "".join(own_data(user))) is own


def test_the_last_member_cannot_leave_the_attempts_for_new_limits(
    tenant: Tenant, bob: User
) -> None:
    sprint = elsewhere(tenant, total=1)
    submitted(sprint, bob, "Tulips")
    assert 'value="leave"' not in team_page(sprint, bob)
    assert code_of(lambda: leave(sprint, bob)) == "conflict"
    assert code_of(lambda: submitted(sprint, bob, "Roses")) == "not_registered"
