"""Labels for samples of judged rewards: drawn, sent, given on a page, shown and erased."""

from __future__ import annotations

import re

import pytest

from leaderboard.models import Attempt, Challenge, HumanLabel, Tenant, User
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.competition.organisers.appointing import give_role
from leaderboard.services.scoring import single
from tests.api.conftest import Api, refused
from tests.people import signed_in

COUNT = 30
FIELDS = {
    "name": "Letters",
    "scoring_strategy": "metric",
    "metrics": ["mean"],
    "rewards": [{"name": "helpful", "min": 0, "max": 1}],
    "rank_by": [{"key": "mean"}],
    "judged_rewards": ["helpful"],
    "labels_per_attempt": 10,
}


@pytest.fixture
def letters(default: Tenant, alice: User, submitter: Api) -> Challenge:
    challenge = create_challenge(tenant=default, user=alice, fields=FIELDS)
    samples = [
        {"task": f"letter-{at}", "sample": 0, "rewards": {"helpful": 0.9}} for at in range(COUNT)
    ]
    outputs = [
        {"id": f"letter-{at}", "input": f"What is {at}?", "actual-output": f"It is {at}."}
        for at in range(COUNT)
    ]
    evaluation = {"metrics": [], "instances": outputs}
    body = {"participant": "atlas", "samples": samples, "evaluation": evaluation}
    answer = submitter.post("challenges/letters/attempts/", body)
    assert answer.status_code == 202, answer.content
    single.score_waiting()
    return challenge


def test_sent_labels_correct_the_mean(letters: Challenge, organiser: Api, anyone: Api) -> None:
    path = f"attempts/{Attempt.objects.get().pk}/labels/"
    drawn = organiser.get(path).json()["results"]
    assert len(drawn) == 10
    number = drawn[0]["task"].partition("-")[2]
    assert (drawn[0]["input"], drawn[0]["output"]) == (f"What is {number}?", f"It is {number}.")
    assert "0.9" not in str(drawn)
    cell = anyone.get("challenges/letters/leaderboard/").json()["rows"][0]["cells"]["mean"]
    assert (cell["judged"]["mean"], cell["judged"]["drawn"]) == (None, 10)

    def label(at: int, who: str, value: float) -> dict[str, object]:
        sample = {"task": drawn[at]["task"], "sample": 0, "reward": "helpful"}
        return {**sample, "value": value, "labeller": who}

    labels = [label(at, who, at % 2) for at in range(10) for who in ("ann", "ben")]
    assert organiser.post(path, {"labels": labels}).json() == {"stored": 20}
    assert organiser.post(path, {"labels": [label(0, "ann", 0.0)]}).status_code == 201
    row = anyone.get("challenges/letters/leaderboard/").json()["rows"][0]
    judged = row["cells"]["mean"]["judged"]
    assert row["values"]["mean"] == pytest.approx(0.9), "ranks are by the judge's value"
    assert judged["mean"] == pytest.approx(0.5)
    assert judged["interval"][0] < 0.5 < judged["interval"][1]
    assert (judged["labels"], judged["labellers"], judged["alpha"]) == (10, 2, 1.0)
    assert list(verify_standings(letters)) == []
    assert "10 human labels" in anyone.client.get("/c/letters/").content.decode()
    assert len(organiser.get(path).json()["results"][0]["labels"]) == 2
    erase_account(User.objects.get(username="bob"))
    assert not HumanLabel.objects.exists()


def test_labels_are_refused(letters: Challenge, organiser: Api, submitter: Api) -> None:
    path = f"attempts/{Attempt.objects.get().pk}/labels/"
    drawn = {row["task"] for row in organiser.get(path).json()["results"]}
    other = next(f"letter-{at}" for at in range(COUNT) if f"letter-{at}" not in drawn)
    label = {"task": other, "sample": 0, "reward": "helpful", "value": 1.0, "labeller": "ann"}
    refused(organiser.post(path, {"labels": [label]}), 400, "invalid", "labels.0.sample")
    beyond = {**label, "task": drawn.pop(), "value": 1.5}
    refused(organiser.post(path, {"labels": [beyond]}), 400, "invalid", "labels.0.value")
    refused(submitter.get(path), 403, "permission_denied")
    assert not HumanLabel.objects.exists()


def test_reviewers_label_without_names(letters: Challenge, alice: User, bob: User) -> None:
    carl, page = signed_in(User.objects.create_user("carl")), "/c/letters/labels/"
    give_role(letters, "carl", {"role": "reviewer"}, by=alice)
    give_role(letters, "bob", {"role": "reviewer"}, by=alice)
    questions = set()
    for _ in range(10):
        html = carl.get(page).content.decode()
        main = html.partition('aria-labelledby="label"')[2].partition("</section>")[0]
        assert not re.search(r"atlas|0\.9", main)
        questions.add(re.findall(r"What is (\d+)", main)[0])
        token = main.partition('name="token" value="')[2].partition('"')[0]
        sent = carl.post(page, {"token": token, "value-0": "1"}, follow=True)
        assert "helpful 0.9" in sent.content.decode()
    assert len(questions) == HumanLabel.objects.count() == 10
    assert "every sample" in carl.get(page).content.decode()
    own = signed_in(bob)
    assert "every sample" in own.get(page).content.decode(), "nobody labels their own"
    own.post(page, {"token": token, "value-0": "0"})
    assert not HumanLabel.objects.filter(user=bob).exists()
