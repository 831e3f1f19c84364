"""Teams that merge one after the other, and teams that take part again after a merge."""

from __future__ import annotations

import pytest

from leaderboard.models import Attempt, Challenge, TeamMerge, User
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.competition.quotas.recount import verify_quotas
from leaderboard.services.competition.teams.membership import leave
from leaderboard.services.competition.teams.merge_requests import ask_to_merge
from leaderboard.services.competition.teams.merging import accept_merge
from tests.people import signed_in
from tests.services.competition.relays import code_of
from tests.services.competition.teams.test_merging import merged, merged_from, scored_attempt

pytestmark = pytest.mark.django_db


def test_a_team_merges_with_a_former_part_of_it(two_teams: Challenge, bob: User, eve: User) -> None:
    zoe = User.objects.create_user("zoe")
    declare_rules(two_teams, {"largest_team": 9})
    register(two_teams, zoe, {"participant": "Irises", "kind": "team"})
    scored_attempt(two_teams, zoe, "Irises", 9)
    merged(two_teams, bob, eve)
    merged(two_teams, zoe, eve)
    leave(two_teams, bob)
    register(two_teams, bob, {"participant": "Tulips", "kind": "team"})
    last = merged(two_teams, eve, bob)
    assert merged_from(two_teams, "roses") == merged_from(two_teams, "irises") == last
    assert merged_from(two_teams, "tulips") is None
    reader = signed_in(bob)
    assert reader.get("/c/relay/p/tulips/").status_code == 200
    for slug in ("roses", "irises"):
        answer = reader.get(f"/c/relay/p/{slug}/")
        assert answer.headers["Location"] == "/c/relay/p/tulips/"
    assert verify_standings(two_teams) == verify_quotas(two_teams) == []


def test_nobody_gets_the_attempts_of_a_deleted_account(
    two_teams: Challenge, bob: User, eve: User
) -> None:
    attempt = scored_attempt(two_teams, bob, "Tulips")
    ask_to_merge(two_teams, bob, "Roses")
    erase_account(bob)
    attempt.refresh_from_db()
    slug = attempt.participant.slug
    assert slug.startswith("withdrawn-participant")
    assert code_of(lambda: accept_merge(two_teams, eve, slug)) == "not_found"
    assert Attempt.objects.get().participant.slug == slug


def test_a_request_to_the_team_of_a_deleted_account_is_never_answered(
    two_teams: Challenge, bob: User, eve: User
) -> None:
    """Those who asked are not told that the account is gone."""
    ask_to_merge(two_teams, eve, "Tulips")
    erase_account(bob)
    assert TeamMerge.objects.get().into is None
