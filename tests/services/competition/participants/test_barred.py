"""A decision against a participant holds for its people, whatever name they use next."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import pytest

from leaderboard.models import Challenge, Entry, Registration, Tenant, User
from leaderboard.services.attempts.new_attempts import NewAttempt
from leaderboard.services.attempts.submit import submit_many
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.competition.participants.disqualification import disqualify, reinstate
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_decisions import decide
from leaderboard.services.competition.participants.registration_rules import (
    declare_rules,
    withdraw_rules,
)
from leaderboard.services.scoring.single import score_waiting
from tests.people import signed_in
from tests.services.competition.relays import (
    code_of,
    elsewhere,
    joined,
    registration_named,
    submitted,
)

pytestmark = pytest.mark.django_db

WHY = {"reason": "It read the answers."}
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
Decision = Callable[[Registration], object]


def disqualify_name(registration: Registration) -> object:
    return disqualify(registration, WHY, by=None)


def decline_name(registration: Registration) -> object:
    return decide(registration, by=None, fields={"status": "declined", "reason": "No address."})


@pytest.mark.parametrize(
    ("decision", "code"), [(disqualify_name, "disqualified"), (decline_name, "not_registered")]
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
    decision(registration_named(sprint, "bob"))
    for name in ("older", "newer"):
        assert code_of(partial(submitted, sprint, bob, name)) in (code, "not_registered")
    many = submit_many(challenge=sprint, user=bob, news=[NewAttempt("a"), NewAttempt("older")])
    assert (len(many.accepted), len(many.rejected)) == (0, 2)
    assert code_of(lambda: register(sprint, bob, {"participant": "newer"})) in (code, "conflict")
    submitted(sprint, eve, "eve")
    withdraw_rules(sprint)
    assert code_of(lambda: submitted(sprint, bob, "newest")) == code
    assert code_of(lambda: register(sprint, bob, {"participant": "newest"})) == code


def test_a_reinstated_account_may_take_another_name(tenant: Tenant, bob: User) -> None:
    sprint = elsewhere(tenant)
    submitted(sprint, bob, "bob")
    disqualify_name(registration_named(sprint, "bob"))
    reinstate(registration_named(sprint, "bob"), by=None)
    submitted(sprint, bob, "another")


def ranked_names(challenge: Challenge) -> set[str]:
    rows = ranking.page_after(board_at(challenge)).rows
    return {row.participant.handle for row in rows if row.rank is not None}


def disqualified_names(challenge: Challenge) -> set[str]:
    out = Registration.objects.filter(challenge=challenge, disqualified_at__isnull=False)
    return set(out.values_list("participant__handle", flat=True))


@pytest.mark.parametrize("rules", [None, {}, {"mode": "approval"}])
@pytest.mark.parametrize("first", ["bob", "older"])
def test_all_names_of_the_account_lose_their_ranks_together(
    tenant: Tenant, bob: User, eve: User, dan: User, rules: object, first: str
) -> None:
    sprint = elsewhere(tenant)
    una = User.objects.get(username="una")
    for user, name in ((bob, "older"), (bob, "bob"), (bob, "shared"), (eve, "eve"), (una, "una")):
        submitted(sprint, user, name, organiser=user == una)
    submitted(sprint, una, "typed", organiser=True)
    shared = registration_named(sprint, "shared")
    Entry.objects.create(challenge=sprint, user=dan, participant=shared.participant)
    score_waiting()
    if rules is not None:
        declare_rules(sprint, rules)
    page = signed_in(una).get(f"/c/{sprint.slug}/people/").content.decode()
    assert page.count("together") == 3
    disqualify_name(registration_named(sprint, first))
    assert disqualified_names(sprint) == {"older", "bob"}
    assert ranked_names(sprint) == {"shared", "eve", "una", "typed"}
    assert verify_standings(sprint) == []
    disqualify_name(registration_named(sprint, "eve"))
    disqualify(registration_named(sprint, first), {"reason": "Twice."}, by=None)
    assert registration_named(sprint, "older").disqualified_reason == "Twice."
    reinstate(registration_named(sprint, "older"), by=None)
    assert disqualified_names(sprint) == {"eve"}
    assert len(ranked_names(sprint)) == 5
    disqualify_name(registration_named(sprint, "una"))
    assert disqualified_names(sprint) == {"eve", "una"}, "organisers own the names of others"


def test_a_team_takes_the_names_of_its_members_with_it(
    tenant: Tenant, bob: User, eve: User
) -> None:
    """All of one decision come back together; an earlier one stays."""
    sprint = elsewhere(tenant)
    for user, name in ((eve, "earlier"), (bob, "Team"), (bob, "bob"), (eve, "eve")):
        submitted(sprint, user, name)
    team = registration_named(sprint, "Team")
    Entry.objects.create(challenge=sprint, user=eve, participant=team.participant)
    earlier = Registration.objects.filter(participant__handle="earlier")
    earlier.update(disqualified_at=LONG_AGO)
    disqualify_name(team)
    assert disqualified_names(sprint) == {"Team", "bob", "eve", "earlier"}
    reinstate(registration_named(sprint, "eve"), by=None)
    assert disqualified_names(sprint) == {"earlier"}


def test_a_disqualified_team_bars_all_who_submitted_for_it(
    tenant: Tenant, relay: Challenge, bob: User, eve: User, dan: User
) -> None:
    """In a challenge without rules, members of a team elsewhere submit for it."""
    joined(relay, bob, eve)
    sprint = elsewhere(tenant)
    submitted(sprint, bob, "Tulips")
    submitted(sprint, eve, "Tulips")
    assert not Entry.objects.filter(challenge=sprint, user=eve).exists()
    disqualify_name(registration_named(sprint, "Tulips"))
    for user in (bob, eve):
        assert code_of(partial(submitted, sprint, user, "Roses")) == "disqualified"
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
    disqualify_name(registration_named(sprint, "Tulips"))
    submitted(sprint, bob, "bob")
    assert code_of(lambda: submitted(sprint, eve, "eve")) == "disqualified"


def test_members_of_a_barred_participant_join_no_team(
    relay: Challenge, bob: User, dan: User
) -> None:
    """dan takes part under a name from before the rules, and under none that he may keep."""
    withdraw_rules(relay)
    submitted(relay, dan, "dan")
    disqualify_name(registration_named(relay, "dan"))
    declare_rules(relay, {"largest_team": 2})
    assert code_of(lambda: joined(relay, bob, dan)) == "disqualified"
