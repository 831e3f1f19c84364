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
from tests.people import bob, signed_in, tenant
from tests.services.competition.teams.test_merging import (
    ann,
    code_of,
    merged,
    merged_from,
    relay,
    submitted,
)

__all__ = ["ann", "bob", "relay", "tenant"]

pytestmark = pytest.mark.django_db


def test_a_team_merges_with_a_former_part_of_it(relay: Challenge, bob: User, eve: User) -> None:
    zoe = User.objects.create_user("zoe")
    declare_rules(relay, {"largest_team": 9})
    register(relay, zoe, {"participant": "Irises", "kind": "team"})
    submitted(relay, zoe, "Irises", 9)
    merged(relay, bob, eve)
    merged(relay, zoe, eve)
    leave(relay, bob)
    register(relay, bob, {"participant": "Tulips", "kind": "team"})
    last = merged(relay, eve, bob)
    assert merged_from(relay, "roses") == merged_from(relay, "irises") == last
    assert merged_from(relay, "tulips") is None
    reader = signed_in(bob)
    assert reader.get("/c/relay/p/tulips/").status_code == 200
    for slug in ("roses", "irises"):
        answer = reader.get(f"/c/relay/p/{slug}/")
        assert answer.headers["Location"] == "/c/relay/p/tulips/"
    assert verify_standings(relay) == verify_quotas(relay) == []


def test_nobody_gets_the_attempts_of_a_deleted_account(
    relay: Challenge, bob: User, eve: User
) -> None:
    attempt = submitted(relay, bob, "Tulips")
    ask_to_merge(relay, bob, "Roses")
    erase_account(bob)
    attempt.refresh_from_db()
    slug = attempt.participant.slug
    assert slug.startswith("withdrawn-participant")
    assert code_of(lambda: accept_merge(relay, eve, slug)) == "not_found"
    assert Attempt.objects.get().participant.slug == slug


def test_a_request_to_the_team_of_a_deleted_account_is_never_answered(
    relay: Challenge, bob: User, eve: User
) -> None:
    """Those who asked are not told that the account is gone."""
    ask_to_merge(relay, eve, "Tulips")
    erase_account(bob)
    assert TeamMerge.objects.get().into is None
