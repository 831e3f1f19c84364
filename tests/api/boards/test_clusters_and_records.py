"""Clusters, records, complete rows and significant improvements, from settings to answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from leaderboard.models import Attempt, Board, Challenge, Tenant, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board.certainty.computing import judge
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.scoring import single
from leaderboard.services.scoring.attempt_actions import act
from tests.api.conftest import Api, ranked_by, refused
from tests.people import signed_in

Put = Callable[[str, Sequence[float]], Attempt]

BOARD = "challenges/cup/leaderboard/"
TASKS = [{"name": f"repo{at // 5}__{at}"} for at in range(50)]


def cup_of(tenant: Tenant, **more: Any) -> Challenge:
    fields = ranked_by("mean_reward", "Cup", **more)
    return create_challenge(tenant=tenant, user=None, fields=fields)


def judge_all() -> None:
    assert all(map(judge, Board.objects.to_be_judged()))


@pytest.fixture
def put(default: Tenant) -> Put:
    """Submit and score: `put("atlas", [1.0, 0.0])`, a reward for each of the first tasks."""
    user = User.objects.create_user("samples")

    def submitted(name: str, rewards: Sequence[float]) -> Attempt:
        samples = [
            Sample(task["name"], 0, {"r": reward})
            for task, reward in zip(TASKS, rewards, strict=False)
        ]
        new = NewAttempt(participant=name, samples=samples)
        cup = Challenge.objects.get(slug="cup")
        submit_attempt(challenge=cup, user=user, new=new)
        single.score_waiting()
        return Attempt.objects.latest("submitted_at")

    return submitted


def test_the_verdict_names_clusters(default: Tenant, anyone: Api, put: Put) -> None:
    named = [{**task, "cluster": task["name"].partition("__")[0]} for task in TASKS]
    cup = cup_of(default, tasks=named)
    put("atlas", [1.0, 1.0, 1.0, 1.0, 0.0] * 9 + [1.0] * 5)
    put("borea", [1.0, 0.0, 0.0, 1.0, 0.0] * 9 + [0.0] * 5)
    judge_all()
    body = anyone.get(BOARD).json()
    assert "10 groups of 50 tasks" in body["certainty"]["text"]
    assert body["rows"][0]["rank_interval_all"] == [1, 1]
    header = anyone.text("challenges/cup/leaderboard.csv").splitlines()[0]
    assert "rank (low, all)" in header
    page = anyone.client.get("/c/cup/tasks/").content.decode()
    assert "50 tasks form 10 clusters" in page
    change_challenge(cup, user=None, fields={"independent_unit": "task"})
    assert cup.newest.number == 2


def test_names_suggest_clusters(default: Tenant, alice: User, put: Put) -> None:
    browser = signed_in(alice)
    cup_of(default, tasks=TASKS)
    put("atlas", [1.0] * 50)
    put("borea", [0.0] * 50)
    judge_all()
    assert "suggest 10 clusters" in browser.get("/c/cup/tasks/").content.decode()
    page = browser.get("/c/cup/manage/tasks/").content.decode()
    assert 'value="suggest"' in page
    form = {"action": "suggest", **{f"tasks.{at}.name": t["name"] for at, t in enumerate(TASKS)}}
    filled = browser.post("/c/cup/manage/tasks/", form).content.decode()
    assert re.search('name="tasks.7.cluster"[^>]*value="repo1"', filled)


def test_a_record_falls_with_its_holder(
    default: Tenant, anyone: Api, alice: User, put: Put
) -> None:
    cup_of(default)
    put("atlas", [1.0] * 10 + [0.0] * 40)
    middle = put("borea", [1.0] * 30 + [0.0] * 20)
    put("ceres", [1.0] * 32 + [0.0] * 18)
    judge_all()

    def terms() -> list[str]:
        text = anyone.client.get("/c/cup/feed.atom").content.decode()
        return [part.partition('"')[0] for part in text.split('<category term="')[1:]]

    assert terms()[:3] == ["best", "record", "best"]
    assert "<strong>record</strong>" in anyone.client.get("/c/cup/progress/").content.decode()
    act(middle, "withdraw", user=alice, organiser=True, reason="copied")
    judge_all()
    assert terms()[:2] == ["record", "best"]


def test_rows_have_to_be_complete(default: Tenant, anyone: Api, put: Put) -> None:
    cup_of(default, tasks=TASKS[:3], metrics=["mean_reward", {"type": "mean", "reward": "r"}])
    put("atlas", [1.0, 1.0])
    put("borea", [1.0, 0.0, 1.0])
    rows = anyone.get(BOARD).json()["rows"]
    assert [(row["participant"]["slug"], row["rank"]) for row in rows] == [
        ("borea", 1),
        ("atlas", None),
    ]
    complete = anyone.get(f"{BOARD}?complete=mean_reward,mean").json()["rows"]
    assert [row["participant"]["slug"] for row in complete] == ["borea"]
    refused(anyone.get(f"{BOARD}?complete=other"), 400, "invalid", "complete")
    page = anyone.client.get("/c/cup/?complete=mean_reward").content.decode()
    assert "borea" in page
    assert anyone.client.get("/c/cup/?complete=other").status_code == 404


def test_an_improvement_has_to_be_significant(default: Tenant, put: Put, anyone: Api) -> None:
    phase = {"slug": "main", "least_improvement": 0.001, "significant_improvement": True}
    cup = cup_of(default, phases=[phase])
    put("atlas", [1.0] * 5 + [0.0] * 5)
    put("atlas", [1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0])
    value = anyone.get(BOARD).json()["rows"][0]["values"]["mean_reward"]
    assert value == 0.5
    put("atlas", [1.0] * 9 + [0.0])
    assert anyone.get(BOARD).json()["rows"][0]["values"]["mean_reward"] == 0.9
    assert verify_standings(cup) == []
    wrong = {"slug": "main", "significant_improvement": True}
    with pytest.raises(Exception, match="least_improvement"):
        change_challenge(cup, user=None, fields={"phases": [wrong]})
