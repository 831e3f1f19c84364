"""The certainty of a board in the API: the verdict as code and text, rank intervals of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from leaderboard.models import Challenge, Tenant, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board.certainty import board_parts
from leaderboard.services.board.certainty.computing import look_after_certainty
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.scoring import single
from leaderboard.services.scoring.sweeper import sweep
from tests.api.conftest import Api, ranked_by

Put = Callable[[str, Sequence[float]], None]

BOARD = "challenges/cup/leaderboard/"
FIRST = [1.0] * 75 + [0.0] * 25
SECOND = [1.0] * 60 + [0.0] * 15 + [1.0] * 5 + [0.0] * 20


@pytest.fixture
def cup(default: Tenant) -> Challenge:
    fields = ranked_by("mean_reward", "Cup")
    return create_challenge(tenant=default, user=None, fields=fields)


@pytest.fixture
def put(cup: Challenge) -> Put:
    """Submit and score: `put("atlas", [1.0, 0.0])`, a reward for each task."""
    user = User.objects.create_user("samples")

    def submitted(name: str, rewards: Sequence[float]) -> None:
        samples = [Sample(f"t{at}", 0, {"r": reward}) for at, reward in enumerate(rewards)]
        new = NewAttempt(participant=name, samples=samples)
        submit_attempt(challenge=cup, user=user, new=new)
        single.score_waiting()

    return submitted


def test_a_clear_lead_is_told_with_the_intervals_of_ranks(anyone: Api, put: Put) -> None:
    put("atlas", FIRST)
    put("borea", SECOND)
    before = anyone.get(BOARD)
    assert before.json()["certainty"] is None
    assert {row["rank_interval"] for row in before.json()["rows"]} == {None}
    look_after_certainty()
    again = anyone.get(BOARD, **{"If-None-Match": before["ETag"]})
    assert again.status_code == 200
    certainty = again.json()["certainty"]
    assert certainty.pop("computed_at")
    assert certainty == {
        "verdict": "clear_lead",
        "text": "atlas leads with 0.75 (95%: 0.6512 to 0.8488, 100 tasks). The lead is clear: 0.1"
        " before borea (95%: 0.01307 to 0.1869)."
        " Differences below about 0.1 cannot be shown with these 100 tasks.",
        "smallest_difference": pytest.approx(0.1),
        "compared": 2,
    }
    assert [row["rank_interval"] for row in again.json()["rows"]] == [[1, 1], [2, 2]]
    assert {row["rank_interval_reason"] for row in again.json()["rows"]} == {None}
    lines = anyone.json_lines("challenges/cup/leaderboard.jsonl")
    assert [row["rank_interval"] for row in lines] == [[1, 1], [2, 2]]
    standing = anyone.get("challenges/cup/standings/borea/").json()
    assert standing["rank_interval"] == [2, 2]
    assert standing["certainty"]["verdict"] == "clear_lead"
    assert standing["above"][0]["rank_interval"] == [1, 1]
    attempt = anyone.get(f"attempts/{again.json()['rows'][1]['attempt']}/").json()
    assert (attempt["rank"], attempt["rank_interval"]) == (2, [2, 2])


def test_grades_have_the_ends_of_intervals(organiser: Api, cup: Challenge, put: Put) -> None:
    put("atlas", FIRST)
    put("borea", SECOND)
    declare_rules(cup, {"mode": "open"})
    user = User.objects.create_user("ida", email="ida@example.org")
    register(cup, user, {"participant": "absent"})
    look_after_certainty()
    rows = {row["participant"]: row for row in organiser.table("challenges/cup/grades.csv")}
    ends = {who: (row["rank (low)"], row["rank (high)"]) for who, row in rows.items()}
    assert ends == {"atlas": ("1", "1"), "borea": ("2", "2"), "absent": ("", "")}


def test_a_row_without_an_interval_has_its_reason(
    anyone: Api, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("atlas", [1.0] * 5)
    put("borea", [0.5] * 9)
    put("ceres", [0.1] * 9)
    monkeypatch.setattr(board_parts, "MOST_NUMBERS", 18)
    look_after_certainty()
    rows = anyone.get(BOARD).json()["rows"]
    assert [row["rank_interval_reason"] for row in rows] == ["few_tasks", None, "not_compared"]
    assert anyone.get(BOARD).json()["certainty"]["compared"] == 2


@pytest.mark.parametrize("hidden", [{"decimals": 2}, {"board": "organisers"}])
def test_where_scores_are_rounded_or_hidden_only_organisers_read_the_certainty(
    anyone: Api, organiser: Api, cup: Challenge, put: Put, hidden: dict[str, object]
) -> None:
    put("atlas", FIRST)
    put("borea", SECOND)
    change_challenge(cup, user=None, fields={"phases": [{"slug": "main", **hidden}]})
    sweep()
    body = anyone.get(BOARD).json()
    assert body["certainty"] is None
    assert {row["rank_interval"] for row in body["rows"]} <= {None}
    assert organiser.get(BOARD).json()["certainty"]["verdict"] == "clear_lead"
