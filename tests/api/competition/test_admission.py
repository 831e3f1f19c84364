"""Rules of admission, reviews, decisions about samples and appeals, through the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.models import (
    Attempt,
    Challenge,
    ChallengeRole,
    Decision,
    Entry,
    Participant,
    Tenant,
    User,
)
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.competition.roles import UserRole, role_of
from leaderboard.services.scoring import single
from leaderboard.services.standing.rejudging import sweep_verdicts
from leaderboard.services.tokens import create_token
from tests.api.conftest import Api, ranked_by, refused

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]
BOARD = "challenges/agents/leaderboard/"
RULES = "challenges/agents/admission/"
TWICE = [{"rule": "samples_per_task", "least": 2}]
Submit = Callable[..., str]


@pytest.fixture
def agents(default: Tenant, alice: User) -> Challenge:
    tasks = {"tasks": [{"name": "a"}, {"name": "b"}], "unknown_tasks": "keep"}
    fields = ranked_by("mean_reward", "Agents", **tasks)
    return create_challenge(tenant=default, user=alice, fields=fields)


@pytest.fixture
def rita(agents: Challenge, default: Tenant) -> Api:
    """A reviewer."""
    user = User.objects.create_user("rita", email="rita@example.org")
    ChallengeRole.objects.create(challenge=agents, user=user, role="reviewer")
    assert role_of(user, agents) is UserRole.REVIEWER
    scopes = ["submit", "organise"]
    token = create_token(user=user, scopes=scopes, tenant=default, challenge=agents)[1]
    return Api(token)


@pytest.fixture
def submit(submitter: Api, agents: Challenge) -> Submit:
    """Submit and score: `submit("atlas", [1.0, 0.0])` has a sample of each reward for each task."""

    def submitted(who: str, rewards: list[float], api: Api = submitter, **fields: Any) -> str:
        samples = [
            {"task": task, "sample": number, "rewards": {"reward": reward}, **fields}
            for task in ("a", "b")
            for number, reward in enumerate(rewards)
        ]
        body = {"participant": who, "samples": samples}
        answer = api.post("challenges/agents/attempts/", body)
        assert answer.status_code == 202, answer.content
        single.score_waiting()
        pk: str = answer.json()["id"]
        return pk

    return submitted


def put_rules(api: Api, rules: object, query: str = "", **fields: Any) -> Any:
    return api.put(RULES + query, {"rules": rules, **fields})


def decide(api: Api, pk: str, kind: str, reason: str = "because", **fields: Any) -> Any:
    return api.post(f"attempts/{pk}/decisions/", {"kind": kind, "reason": reason, **fields})


def board(api: Api) -> list[Any]:
    return list(api.get(BOARD).json()["rows"])


def rows(api: Api) -> dict[str, tuple[int | None, str | None]]:
    return {row["participant"]["handle"]: (row["rank"], row["unranked"]) for row in board(api)}


def change(api: Api, **fields: Any) -> None:
    answer = api.patch("challenges/agents/", fields)
    assert answer.status_code == 200, answer.content


def test_an_attempt_that_does_not_meet_the_rules_leaves_the_board_to_others(
    submit: Submit, organiser: Api, anyone: Api, agents: Challenge
) -> None:
    old = submit("atlas", [0.5, 0.5])
    assert put_rules(organiser, TWICE).json()["number"] == 1
    assert put_rules(organiser, TWICE).json()["number"] == 1
    new = submit("atlas", [1.0])
    submit("bolt", [0.2, 0.2])
    submit("curie", [1.0])
    assert rows(anyone) == {
        "atlas": (1, None),
        "bolt": (2, None),
        "curie": (None, "not_admitted"),
    }
    assert anyone.get(f"attempts/{old}/").json()["counts"]
    report = anyone.get(f"attempts/{new}/admission/").json()
    assert (report["verdict"], report["standing"], report["rules"]) == (
        "refused",
        "not_admitted",
        1,
    )
    (finding,) = report["findings"]
    assert (finding["rule"], finding["count"]) == ("samples_per_task", 2)
    assert not verify_standings(agents)
    refused(put_rules(organiser, [{"rule": "unheard"}]), 400, "invalid", "rules.0")
    refused(put_rules(anyone, TWICE), 401, "not_authenticated")


def test_other_rules_judge_earlier_attempts_and_say_so(
    submit: Submit, organiser: Api, anyone: Api, agents: Challenge
) -> None:
    few, many = submit("atlas", [1.0]), submit("bolt", [0.2, 0.2])
    created = Attempt.objects.order_by("pk").values_list("scores__created_at", flat=True)
    scores = list(created)
    trial = put_rules(organiser, TWICE, "?dry_run=1").json()["trial"]
    assert (trial["counts"], trial["losing"]) == ({"refused": 1, "ok": 1}, [few])
    assert rows(anyone)["atlas"] == (1, None)
    put_rules(organiser, TWICE)
    sweep_verdicts()
    assert rows(anyone) == {"bolt": (1, None), "atlas": (None, "not_admitted")}
    kinds = [
        decision["kind"]
        for decision in anyone.get(f"attempts/{few}/admission/").json()["decisions"]
    ]
    assert kinds == ["judged"]
    assert anyone.get(f"attempts/{many}/admission/").json()["decisions"] == []
    assert list(created.all()) == scores
    put_rules(organiser, TWICE, since="2100-01-01T00:00:00Z")
    sweep_verdicts()
    assert rows(anyone)["atlas"] == (1, None)
    assert not verify_standings(agents)


def test_reviewers_accept_and_return_and_nobody_judges_their_own(
    submit: Submit, organiser: Api, submitter: Api, rita: Api, anyone: Api, agents: Challenge
) -> None:
    old = submit("atlas", [0.5])
    change(organiser, review="all")
    new, other = submit("atlas", [1.0]), submit("bolt", [0.8])
    own = submit("rita", [1.0], rita)
    assert rows(anyone) == {
        "atlas": (1, None),
        "bolt": (None, "in_review"),
        "rita": (None, "in_review"),
    }
    assert anyone.get(f"attempts/{old}/").json()["counts"]
    queue = rita.get("challenges/agents/review/").json()
    assert [entry["attempt"] for entry in queue["attempts"]] == [new, other, own]
    refused(anyone.get("challenges/agents/review/"), 403, "permission_denied")
    refused(decide(rita, own, "accepted"), 403, "permission_denied")
    refused(decide(submitter, other, "accepted"), 403, "permission_denied")
    refused(decide(rita, new, "returned", ""), 400, "invalid", "reason")
    assert decide(rita, new, "returned", "no logs").status_code == 201
    assert submitter.get(f"attempts/{new}/admission/").json()["standing"] == "returned"
    refused(decide(rita, new, "received"), 403, "permission_denied")
    assert decide(submitter, new, "received", "here they are").status_code == 201
    accepted = decide(rita, new, "accepted", "")
    assert rows(anyone)["atlas"] == (1, None)
    assert anyone.get(f"attempts/{new}/").json()["counts"]
    body = {"attempts": [new, other, own]}
    assert rita.post("challenges/agents/review/", body).json() == {"accepted": 1}
    assert rows(anyone)["bolt"] == (2, None)
    undone = decide(organiser, new, "undone", "too fast", decision=accepted.json()["id"])
    assert undone.status_code == 201, undone.content
    assert anyone.get(f"attempts/{old}/").json()["counts"]
    assert not verify_standings(agents)
    change(organiser, reviewers_decide=False)
    refused(decide(rita, new, "accepted"), 403, "permission_denied")


def test_who_left_the_team_since_does_not_judge_its_attempt(
    submit: Submit, organiser: Api, rita: Api, agents: Challenge
) -> None:
    change(organiser, review="all")
    attempt = submit("atlas", [1.0])
    participant = Participant.objects.get(slug="atlas")
    user = User.objects.get(username="rita")
    entry = Entry.objects.create(challenge=agents, participant=participant, user=user)
    refused(decide(rita, attempt, "accepted"), 403, "permission_denied")
    Entry.objects.filter(pk=entry.pk).update(left_at=timezone.now())
    refused(decide(rita, attempt, "accepted"), 403, "permission_denied")
    assert rita.post("challenges/agents/review/", {"attempts": [attempt]}).json() == {"accepted": 0}
    assert decide(rita, submit("atlas", [0.5]), "accepted").status_code == 201


def test_two_reviewers_have_to_agree_if_the_challenge_asks_for_two(
    submit: Submit, organiser: Api, rita: Api, anyone: Api
) -> None:
    change(organiser, review="flagged", decisions_needed=2)
    put_rules(organiser, [{**TWICE[0], "then": "flagged"}])
    attempt, clean = submit("atlas", [1.0]), submit("bolt", [0.5, 0.5])
    assert rows(anyone) == {"bolt": (1, None), "atlas": (None, "in_review")}
    assert rita.post("challenges/agents/review/", {"attempts": [attempt, clean]}).json() == {
        "accepted": 0
    }
    for _ in range(2):
        assert decide(rita, attempt, "accepted").status_code == 201
    assert rows(anyone)["atlas"] == (None, "in_review")
    decide(organiser, attempt, "accepted")
    assert rows(anyone)["atlas"] == (1, None)


def test_the_participant_of_a_refused_attempt_may_ask_for_a_review(
    submit: Submit, organiser: Api, submitter: Api, rita: Api, anyone: Api
) -> None:
    change(organiser, decisions_needed=2)
    put_rules(organiser, TWICE)
    attempt = submit("atlas", [1.0])
    refused(decide(rita, attempt, "received"), 403, "permission_denied")
    assert decide(submitter, attempt, "received", "the limit was ours").status_code == 201
    queue = rita.get("challenges/agents/review/").json()
    assert [entry["verdict"] for entry in queue["attempts"]] == ["refused"]
    assert rita.post("challenges/agents/review/", {"attempts": [attempt]}).json() == {"accepted": 0}
    decide(rita, attempt, "accepted")
    assert rows(anyone)["atlas"] == (None, "in_review")
    decide(organiser, attempt, "accepted")
    assert rows(anyone)["atlas"] == (1, None)


def test_a_dry_run_says_what_the_rules_say(
    organiser: Api, submitter: Api, agents: Challenge
) -> None:
    put_rules(organiser, TWICE)
    samples = [{"task": "a", "sample": 0, "rewards": {"reward": 1}}]
    body = {"participant": "atlas", "samples": samples}
    tried = submitter.post("challenges/agents/attempts/?dry_run=1", body).json()
    many = {"attempts": [{"participant": "bolt", "samples": "wrong"}, body]}
    (line,) = submitter.post("challenges/agents/attempts/bulk/?dry_run=1", many).json()["admission"]
    assert (line["line"], line["verdict"], line["findings"]) == (2, "refused", tried["findings"])


@pytest.mark.parametrize("kind", ["infrastructure", "left_out"])
def test_a_sample_that_is_left_out_is_not_missing(
    kind: str, submit: Submit, organiser: Api, anyone: Api, agents: Challenge
) -> None:
    change(organiser, min_coverage=1.0)
    put_rules(organiser, [{"rule": "samples_per_task", "least": 1}, {"rule": "all_tasks"}])
    attempt = submit("atlas", [0.5])
    made = decide(organiser, attempt, kind, task="a", sample=0)
    assert rows(anyone)["atlas"] == (1, None)
    assert anyone.get(f"attempts/{attempt}/admission/").json()["verdict"] == "ok"
    value = anyone.get(f"attempts/{attempt}/").json()["metric_values"]["mean_reward"]
    assert (value["value"], value["total"]) == (0.5, 1)
    decide(organiser, attempt, "undone", decision=made.json()["id"])
    assert rows(anyone)["atlas"] == (1, None)
    assert not verify_standings(agents)


def test_a_decision_about_a_sample_scores_the_attempt_again_at_once(
    submit: Submit, organiser: Api, submitter: Api, anyone: Api, agents: Challenge
) -> None:
    attempt, rival = submit("atlas", [1.0, 0.0]), submit("bolt", [0.6, 0.6])
    assert rows(anyone)["bolt"] == (1, None)
    made = decide(organiser, attempt, "infrastructure", "529", task="a", sample=1)
    assert made.status_code == 201, made.content
    assert made.json()["before"] != made.json()["after"]
    assert rows(anyone)["atlas"] == (1, None)
    marked = {row["participant"]["handle"]: row["ruled_samples"] for row in board(anyone)}
    assert marked == {"atlas": 1, "bolt": 0}
    assert b"1 sample decided" in Client().get("/c/agents/").content
    table = anyone.table("challenges/agents/leaderboard.csv")
    assert [row["ruled_samples"] for row in table] == ["1", "0"]
    value = anyone.get(f"attempts/{attempt}/").json()["metric_values"]["mean_reward"]["value"]
    assert value == pytest.approx(2 / 3) or value == pytest.approx(0.75)
    zero = decide(organiser, attempt, "counts_zero", "copied", task="b", sample=0)
    assert rows(anyone)["bolt"] == (1, None)
    refused(decide(organiser, attempt, "left_out", task="b", sample=0), 409, "conflict")
    refused(decide(organiser, attempt, "left_out", task="b", sample=9), 400, "invalid", "sample")
    refused(decide(submitter, rival, "left_out", task="b", sample=0), 403, "permission_denied")
    appeal = decide(submitter, attempt, "appealed", "not copied", decision=zero.json()["id"])
    assert appeal.status_code == 201, appeal.content
    again = decide(submitter, attempt, "appealed", decision=zero.json()["id"])
    refused(again, 409, "conflict")
    assert len(organiser.get("challenges/agents/review/").json()["appeals"]) == 1
    decide(organiser, attempt, "answered", "it was not", decision=appeal.json()["id"])
    assert organiser.get("challenges/agents/review/").json()["appeals"] == []
    decide(organiser, attempt, "undone", "it was not", decision=zero.json()["id"])
    assert rows(anyone)["atlas"] == (1, None)
    assert not verify_standings(agents)


def test_copies_and_borrowed_ids_are_noted(
    submit: Submit, organiser: Api, stranger: Api, anyone: Api, carol: User
) -> None:
    put_rules(
        organiser, [{"rule": "duplicate_results"}, {"rule": "unique_sample_ids", "unknown": "ok"}]
    )
    submit("atlas", [0.25, 0.75])
    copy = submit("copycat", [0.25, 0.75], stranger)
    report = anyone.get(f"attempts/{copy}/admission/").json()
    assert (report["verdict"], report["findings"][0]["other"]) == ("flagged", "")
    submit("bolt", [0.1], run={"id": "t1"})
    assert rows(anyone)["bolt"] == (None, "not_admitted")  # its own two samples have one id
    put_rules(organiser, [{"rule": "unique_sample_ids"}])
    sweep_verdicts()
    assert set(rows(anyone).values()) == {(None, "not_admitted")}


@pytest.mark.parametrize("kind", ["returned", "counts_zero"])
def test_what_was_decided_about_is_noted_when_it_is_sent_again(
    kind: str, submit: Submit, organiser: Api, submitter: Api, anyone: Api
) -> None:
    put_rules(organiser, [{"rule": "duplicate_results", "least": 0.5}])
    first = submit("atlas", [0.25, 0.75])
    honest = submit("atlas", [0.25, 0.75])
    assert anyone.get(f"attempts/{honest}/admission/").json()["verdict"] == "ok"
    place: dict[str, Any] = {"task": "a", "sample": 0} if kind == "counts_zero" else {}
    made = decide(organiser, first, kind, **place).json()
    submitter.post(f"attempts/{first}/withdraw/", {})
    again = submit("atlas", [0.25, 0.75])
    (finding,) = anyone.get(f"attempts/{again}/admission/").json()["findings"]
    assert (finding["verdict"], finding["count"]) == ("flagged", 4)
    organiser.post(f"attempts/{first}/restore/", {})
    decide(organiser, first, "undone", decision=made["id"])
    assert (
        anyone.get(f"attempts/{submit('atlas', [0.25, 0.75])}/admission/").json()["findings"] == []
    )


def test_every_change_of_standing_leaves_a_decision(
    submit: Submit, organiser: Api, anyone: Api
) -> None:
    attempt = submit("atlas", [1.0])
    for action, body in (("withdraw", {"reason": "x"}), ("restore", None)) * 2:
        assert organiser.post(f"attempts/{attempt}/{action}/", body or {}).status_code == 200
    organiser.put(f"attempts/{attempt}/verification/", {"by": "Ann"})
    organiser.delete(f"attempts/{attempt}/verification/")
    decisions = anyone.get(f"attempts/{attempt}/admission/").json()["decisions"]
    twice = ["withdrawn", "restored"] * 2
    assert [decision["kind"] for decision in decisions] == [*twice, "verified", "unverified"]
    assert Decision.objects.count() == len(decisions)


def test_the_run_is_shown_as_it_was_submitted(submit: Submit, submitter: Api, anyone: Api) -> None:
    run = {"id": "x", "conditions": {"timeout": 2.0}, "tokens": {"input": 5}}
    attempt = submit("atlas", [1.0], run=run)
    report = anyone.get(f"attempts/{attempt}/admission/").json()
    assert report["samples"][0] == {"task": "a", "sample": 0, **run}
    assert anyone.get(f"attempts/{attempt}/tasks.json").json()["total"] == 2
    body = {"participant": "x", "values": {"v": 1}, "run": {"started_at": "soon"}}
    refused(submitter.post("challenges/agents/attempts/", body), 400, "invalid", "run.started_at")
