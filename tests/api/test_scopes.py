"""A token that may only submit does not read private boards."""

from __future__ import annotations

import pytest

from leaderboard.models import Challenge, User
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.scoring import single
from leaderboard.services.tokens import create_token
from tests.api.conftest import ME, Api, refused
from tests.people import organiser_of

READS = [
    "challenges/secret/",
    "challenges/secret/leaderboard/",
    "challenges/secret/leaderboard.csv",
    "challenges/secret/leaderboard.jsonl",
    "challenges/secret/attempts/",
    "challenges/secret/standings/atlas/",
    "challenges/secret/instances.jsonl",
]


@pytest.fixture
def dora(secret: Challenge) -> User:
    """Another organiser of the tenant."""
    return organiser_of(secret.tenant, "dora")


def api(user: User, *scopes: str) -> Api:
    return Api(create_token(user=user, scopes=scopes)[1])


def test_a_token_that_may_only_submit_reads_no_private_board(
    alice: User, secret: Challenge
) -> None:
    for path in READS:
        error = refused(api(alice, "submit").get(path), 403, "permission_denied")
        assert error["message"].endswith(" the scope read."), path


def test_other_tokens_and_sessions_read_private_boards(alice: User, secret: Challenge) -> None:
    organising = create_token(user=alice, scopes=["organise"], tenant=secret.tenant)[1]
    for reader in (api(alice, "read"), Api(organising), Api(user=alice)):
        for path in READS[:5]:
            assert reader.get(path).status_code == 200, path


def test_a_token_that_may_only_submit_lists_no_private_challenges(
    alice: User, secret: Challenge, sprint: Challenge
) -> None:
    for scopes, wanted in ((["submit"], ["sprint"]), (["submit", "read"], ["secret", "sprint"])):
        listed = api(alice, *scopes).get("challenges/").json()["results"]
        assert [challenge["slug"] for challenge in listed] == wanted


def test_a_token_that_may_only_submit_reads_its_own_attempts(
    alice: User, dora: User, secret: Challenge
) -> None:
    mine = api(alice, "submit")
    sent = mine.post("challenges/secret/attempts/", ME)
    assert sent.status_code == 202
    assert mine.lines("challenges/secret/attempts/bulk/", ME).json()["accepted"] == 1
    single.score_waiting()
    for path in (sent.json()["url"], f"{sent.json()['url']}tasks.json"):
        assert mine.get(path).status_code == 200
        refused(api(dora, "submit").get(path), 403, "permission_denied")
        assert api(dora, "read").get(path).status_code == 200


def test_a_token_that_may_only_submit_reads_no_registration_and_no_team(
    alice: User, sprint: Challenge
) -> None:
    """A token in the settings of a program must not reveal what its user told the organisers."""
    declare_rules(sprint, {"mode": "open"})
    register(sprint, alice, {"participant": "atlas"})
    for path in ("challenges/sprint/registration/", "challenges/sprint/team/"):
        error = refused(api(alice, "submit").get(path), 403, "permission_denied")
        assert error["message"].endswith(" the scope read.")
        assert api(alice, "submit", "read").get(path).status_code == 200
        assert Api(user=alice).get(path).status_code == 200


def test_a_token_that_may_only_submit_reads_public_boards(alice: User, sprint: Challenge) -> None:
    for path in READS[:5]:
        public = path.replace("secret", "sprint")
        assert api(alice, "submit").get(public).status_code == 200


def test_strangers_do_not_learn_of_a_private_board(bob: User, secret: Challenge) -> None:
    for path in READS:
        refused(api(bob, "submit").get(path), 404, "not_found")
