"""A disqualified participant loses its rank with all its attempts, until it is reinstated."""

from __future__ import annotations

from functools import partial

import pytest

from leaderboard.models import AuditEntry, Challenge, Standing, Tenant, User
from leaderboard.services.attempts.retry import restore_attempt, withdraw_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.standings.counting import rebuild_standings, verify_standings
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.competition.participants.disqualification import (
    appeal,
    disqualify,
    reinstate,
)
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from leaderboard.services.scoring.single import score_waiting
from tests.people import give_each_an_account
from tests.services.competition.relays import registration_named
from tests.services.conftest import Bring, Submit
from tests.services.refusals import refusal

pytestmark = pytest.mark.django_db

WHY = {"reason": "It read the answers."}


@pytest.fixture
def crowd(sprint: Challenge, submit: Submit) -> Challenge:
    for who, elapsed in (("atlas", 100), ("bolt", 50), ("bolt", 70), ("comet", 200)):
        submit(sprint, who, elapsed_ms=elapsed)
    score_waiting()
    return sprint


def ranks(challenge: Challenge) -> list[tuple[str, int | None, str]]:
    rows = ranking.page_after(board_at(challenge)).rows
    return [(row.participant.handle, row.rank, row.unranked) for row in rows]


def test_all_attempts_lose_their_rank_at_once_and_get_it_back(
    crowd: Challenge, alice: User
) -> None:
    give_each_an_account(crowd)
    version = board_at(crowd).version
    out = disqualify(registration_named(crowd, "bolt"), WHY, by=alice)
    assert (out.disqualified_by, out.disqualified_reason) == (alice, WHY["reason"])
    assert ranks(crowd) == [("atlas", 1, ""), ("comet", 2, ""), ("bolt", None, "disqualified")]
    assert board_at(crowd).version > version
    assert verify_standings(crowd) == []
    rebuild_standings(crowd)
    assert ranks(crowd)[2] == ("bolt", None, "disqualified")
    (entry,) = AuditEntry.objects.filter(challenge=crowd, kind="registration")
    assert (entry.public, entry.actor) == (True, alice)
    assert entry.after == {"disqualified": True, "disqualified_reason": WHY["reason"]}
    reinstate(registration_named(crowd, "bolt"), by=alice)
    assert ranks(crowd) == [("bolt", 1, ""), ("atlas", 2, ""), ("comet", 3, "")]
    assert verify_standings(crowd) == []


def test_what_is_scored_later_has_no_rank_either(
    crowd: Challenge, alice: User, submit: Submit
) -> None:
    """Two attempts still wait; a single one and a batch are stored by different statements."""
    late = submit(crowd, "bolt", elapsed_ms=10)
    submit(crowd, "comet", elapsed_ms=20)
    give_each_an_account(crowd)
    disqualify(registration_named(crowd, "bolt"), WHY, by=alice)
    score_waiting()
    assert ranks(crowd) == [("comet", 1, ""), ("atlas", 2, ""), ("bolt", None, "disqualified")]
    assert Standing.objects.get(participant__handle="bolt").attempt == late
    config, _ = start_rescore(change_challenge(crowd, user=None, fields={"counting": "latest"}))
    work_on(config.pk)
    crowd.refresh_from_db()
    assert ranks(crowd)[2] == ("bolt", None, "disqualified")
    assert verify_standings(crowd) == []


def test_a_withdrawn_attempt_of_a_disqualified_participant_is_withdrawn(
    crowd: Challenge, alice: User
) -> None:
    disqualify(registration_named(crowd, "comet"), WHY, by=alice)
    attempt = crowd.attempts.get(participant__handle="comet")
    for act, reason in (
        (partial(withdraw_attempt, reason="a mistake"), "withdrawn"),
        (restore_attempt, "disqualified"),
    ):
        act(attempt)
        assert ranks(crowd)[2] == ("comet", None, reason)
        assert verify_standings(crowd) == []


def test_a_disqualified_participant_takes_no_part_in_win_rates(
    tenant: Tenant, bring: Bring, alice: User
) -> None:
    fields = {
        "name": "Bench",
        "scoring_strategy": "metric",
        "metrics": [{"type": "mean_win_rate", "name": "wins", "of": ["mean"]}, "mean"],
        "rank_by": [{"key": "wins"}, {"key": "mean"}],
    }
    challenge = create_challenge(tenant=tenant, user=alice, fields=fields)
    for who, reward in (("atlas", 0.9), ("bolt", 0.5), ("comet", 0.1)):
        bring(challenge, who, task_rewards={"t": [reward]})
    score_waiting()
    give_each_an_account(challenge)

    def rates() -> dict[str, float | None]:
        rows = ranking.page_after(board_at(challenge)).rows
        return {row.participant.handle: row.values.get("wins") for row in rows}

    assert rates() == {"atlas": 1.0, "bolt": 0.5, "comet": 0.0}
    disqualify(registration_named(challenge, "atlas"), WHY, by=alice)
    assert rates() == {"bolt": 1.0, "comet": 0.0, "atlas": None}
    assert verify_standings(challenge) == []


def test_a_disqualified_participant_may_not_submit_until_reinstated(
    crowd: Challenge, alice: User, submit: Submit
) -> None:
    disqualify(registration_named(crowd, "bolt"), WHY, by=alice)
    error = refusal(lambda: submit(crowd, "bolt", elapsed_ms=1))
    assert error.code == "disqualified"
    assert WHY["reason"] in error.message
    assert error.facts["reason"] == WHY["reason"]
    reinstate(registration_named(crowd, "bolt"), by=alice)
    submit(crowd, "bolt", elapsed_ms=1)


def test_members_appeal_and_a_new_disqualification_forgets_it(
    sprint: Challenge, submit: Submit, alice: User, bob: User
) -> None:
    submit(sprint, "bolt", elapsed_ms=1)
    assert refusal(lambda: appeal(sprint, alice, {"text": "No"})).code == "conflict"
    disqualify(registration_named(sprint, "bolt"), WHY, by=bob)
    assert refusal(lambda: appeal(sprint, bob, {"text": "x"})).code == "not_found"
    assert list(refusal(lambda: appeal(sprint, alice, {"text": " "})).fields) == ["text"]
    registration = appeal(sprint, alice, {"text": "We did not."})
    assert registration.appeal == "We did not."
    assert registration.appealed_at
    disqualify(registration_named(sprint, "bolt"), {"reason": "Another one"}, by=bob)
    assert registration_named(sprint, "bolt").appeal == "We did not."
    reinstate(registration_named(sprint, "bolt"), by=bob)
    disqualify(registration_named(sprint, "bolt"), WHY, by=bob)
    assert registration_named(sprint, "bolt").appeal == ""


def test_a_reason_is_required(crowd: Challenge, alice: User) -> None:
    bolt = registration_named(crowd, "bolt")
    for fields in ({}, {"reason": ""}, {"reason": "x" * 301}, {"why": "x"}, None):
        assert refusal(partial(disqualify, bolt, fields, by=alice)).code == "invalid", fields
    assert ranks(crowd)[0] == ("bolt", 1, "")
    assert refusal(lambda: reinstate(bolt, by=alice)).code == "conflict"
