"""What programs ask for: who they are, single attempts, dry runs, packed bodies, signing in."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.test import Client

from leaderboard.api import unpacked_bodies
from leaderboard.models import ApiToken, Attempt, Challenge, Participant, Tenant, User
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.imports.jobs import MOST_AT_ONCE
from leaderboard.services.scoring import single
from leaderboard.services.tokens import create_token
from tests.api.conftest import ME, Api, ranked_by, refused
from tests.people import signed_in


def test_me_says_who_asks_and_what_a_token_allows(
    anyone: Api, bob: User, run: Callable[..., Any], sprint: Challenge
) -> None:
    nobody = anyone.get("me/").json()
    assert (nobody["user"], nobody["scopes"], nobody["participants"]) == (None, [], [])
    assert (nobody["site"], nobody["api"] >= 2) == ("http://testserver", True)
    run("atlas")
    mine = Participant.objects.get(slug="atlas")
    _, text = create_token(user=bob, scopes=["submit"], challenge=sprint, participant=mine)
    token = Api(text).get("me/").json()
    assert (token["user"], token["scopes"], token["challenge"]) == ("bob", ["submit"], "sprint")
    assert token["participants"] == [{"handle": "atlas", "slug": "atlas", "tenant": "default"}]
    assert Api(create_token(user=bob, scopes=["submit"])[1]).get("me/").json()["participants"] == []
    assert Api(user=bob).get("me/").json()["participants"] == token["participants"]


def test_attempts_are_listed_by_id_status_phase_and_sender(
    submitter: Api, organiser: Api, run: Callable[..., Any], sprint: Challenge
) -> None:
    scored = run("atlas")["id"]
    waiting = submitter.post("challenges/sprint/attempts/", ME).json()["id"]
    foreign = organiser.post("challenges/sprint/attempts/", {**ME, "participant": "x"}).json()["id"]

    def listed(query: str, api: Api = submitter) -> set[str]:
        answer = api.get(f"challenges/sprint/attempts/?{query}")
        assert answer.status_code == 200, answer.content
        return {row["id"] for row in answer.json()["results"]}

    assert listed(f"ids={scored},{foreign}") == {scored, foreign}
    assert listed("status=scored") == {scored}
    assert listed("status=queued&mine=1") == {waiting}
    assert listed("phase=main") == {scored, waiting, foreign}
    for query, field in (("ids=7", "ids"), ("status=held", "status"), ("phase=x", "phase")):
        refused(submitter.get(f"challenges/sprint/attempts/?{query}"), 400, "invalid", field)


def test_a_compressed_body_is_unpacked_within_a_bound(
    submitter: Api, sprint: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sent(body: bytes, encoding: str = "gzip") -> Any:
        headers = {"Content-Encoding": encoding}
        return submitter.send("post", "challenges/sprint/attempts/", body, headers=headers)

    body = json.dumps(ME).encode()
    assert sent(gzip.compress(body)).status_code == 202
    refused(sent(gzip.compress(body)[:-9]), 400, "invalid", "body")
    refused(sent(body), 400, "invalid", "body")
    refused(sent(body, "br"), 415, "invalid")
    monkeypatch.setattr(unpacked_bodies, "MOST_UNPACKED", 1000)
    refused(sent(gzip.compress(b" " * 100_000)), 413, "too_large")


def test_a_change_does_not_overwrite_what_its_sender_has_not_read(
    organiser: Api, anyone: Api, sprint: Challenge, alice: User
) -> None:
    path = "challenges/sprint/"
    read = organiser.get(path)

    def changed(tag: str) -> Any:
        return organiser.patch(path, {"goal": "Run."}, **{"If-Match": tag})

    change_challenge(sprint, user=alice, fields={"summary": "Quick."})
    error = refused(changed(read["ETag"]), 412, "changed", "If-Match")
    assert "alice" in error["message"]
    assert "summary" in error["message"]
    sprint.refresh_from_db()
    assert sprint.goal == ""
    answer = changed(organiser.get(path)["ETag"])
    assert answer.status_code == 200
    assert anyone.get(path, **{"If-None-Match": anyone.get(path)["ETag"]}).status_code == 304
    assert changed(answer["ETag"]).status_code == 200


@pytest.mark.parametrize(
    ("part", "first", "second"),
    [
        ("registration/rules/", {"mode": "approval"}, {"mode": "open"}),
        ("admission/", {"rules": [{"rule": "all_tasks"}]}, {"rules": []}),
    ],
)
def test_a_part_of_a_challenge_has_a_lock_too(
    organiser: Api, sprint: Challenge, part: str, first: object, second: object
) -> None:
    path = f"challenges/sprint/{part}"

    before = organiser.get(path).json()

    def put(body: object, tag: str, query: str = "") -> Any:
        return organiser.put(path + query, body, **{"If-Match": tag})

    assert put(first, "*", "?dry_run=1").status_code == 200
    assert organiser.get(path).json() == before
    assert put(first, "*").status_code == 200
    read = organiser.get(path)
    assert put(second, read["ETag"]).status_code == 200
    for query in ("?dry_run=1", ""):
        error = refused(put(first, read["ETag"], query), 412, "changed", "If-Match")
        assert "alice" in error["message"]
    assert put(first, organiser.get(path)["ETag"]).status_code == 200


def test_a_condition_is_never_overlooked(organiser: Api, sprint: Challenge) -> None:
    tag = organiser.get("challenges/sprint/")["ETag"]
    for method, part, body, sent in (
        ("post", "announcements/", b'{"title": "New", "text": "Text"}', tag),
        ("put", "references/", b"[]", tag),
        ("post", "publish/", b"", '"other"'),
        ("delete", "", b"", '"other"'),
    ):
        path = f"challenges/sprint/{part}"
        answer = organiser.send(method, path, body, headers={"If-Match": sent})
        refused(answer, 412, "changed", "If-Match")
    gone = organiser.send("delete", "challenges/sprint/", b"", headers={"If-Match": tag})
    assert gone.status_code == 204


def test_a_program_gets_the_token_that_its_user_agrees_to(anyone: Api, bob: User) -> None:
    page = signed_in(bob)

    def begun() -> dict[str, Any]:
        codes: dict[str, Any] = anyone.post("device/", {"name": "laptop"}).json()
        return codes

    def asked(codes: dict[str, Any]) -> Any:
        return anyone.post("device/token/", {"device_code": codes["device_code"]})

    codes = begun()
    assert codes["verification_uri"] == "http://testserver/device/"
    refused(asked(codes), 400, "authorization_pending")
    assert page.get(f"/device/?code={codes['user_code']}").status_code == 200
    form = {"code": codes["user_code"], "name": "laptop", "lifetime": "30", "scopes": ["submit"]}
    assert Client().post("/device/", form).status_code == 302
    refused(asked(codes), 400, "authorization_pending")
    assert page.post("/device/", form).status_code == 302
    token = asked(codes).json()
    assert token["scopes"] == ["submit"]
    assert Api(token["access_token"]).get("me/").json()["user"] == "bob"
    refused(asked(codes), 400, "expired_token")
    other = begun()
    page.post("/device/", {"code": other["user_code"], "refuse": "1"})
    refused(asked(other), 400, "access_denied")
    assert page.get("/device/?code=XXXX-XXXX").status_code == 422
    assert ApiToken.objects.count() == 1


def test_two_attempts_are_compared_on_the_tasks_that_both_have(
    organiser: Api, anyone: Api, default: Tenant, alice: User
) -> None:
    tasks = [{"name": f"t{number}"} for number in range(20)]
    fields = ranked_by("mean", "Tasks", tasks=tasks)
    create_challenge(tenant=default, user=alice, fields=fields)

    def sent(name: str, solved: int) -> str:
        rewards = {f"t{number}": [float(number < solved)] for number in range(20)}
        body = {"participant": name, "task_rewards": rewards}
        attempt: str = organiser.post("challenges/tasks/attempts/", body).json()["id"]
        return attempt

    good, bad = sent("good", 18), sent("bad", 4)
    path = "challenges/tasks/compare/"
    metric = anyone.get(f"{path}?first={good}&second={bad}").json()["metrics"][0]
    assert (metric["key"], metric["shared"], metric["better"]) == ("mean", 20, "first")
    assert (metric["first"], metric["second"], metric["only_first"]) == (0.9, 0.2, 14)
    assert metric["difference"] == pytest.approx(0.7)
    assert [task["task"] for task in metric["tasks"]] == [f"t{at}" for at in range(4, 18)]
    candidate = {"task_rewards": {f"t{number}": [1.0] for number in range(20)}}
    gate = "challenges/tasks/gate/?baseline="
    single.score_waiting()
    for baseline, require, state in (("good", "not-worse", "pass"), (bad, "better", "pass")):
        answer = organiser.post(f"{gate}{baseline}&require={require}", candidate).json()
        assert (answer["state"], answer["metric"]) == (state, "mean"), answer
    refused(
        organiser.post(f"{gate}{bad}&require=non-inferior", candidate), 400, "invalid", "margin"
    )
    refused(organiser.post(f"{gate}nobody", candidate), 404, "not_found", "baseline")
    table = b"participant,mean\n" + b"a,1\n" * (MOST_AT_ONCE + 1)
    refused(organiser.upload(f"{gate}{bad}", table, "r.csv"), 413, "too_large")
    assert Attempt.objects.count() == 2
    main = {"slug": "main", "name": "Main", "decimals": 1}
    assert organiser.patch("challenges/tasks/", {"phases": [main]}).status_code == 200
    refused(anyone.get(f"{path}?first={good}&second={bad}"), 403, "permission_denied")


@pytest.fixture(autouse=True)
def _no_rates(settings: LazySettings) -> None:
    settings.THROTTLE_SIGN_IN = None
    cache.clear()
