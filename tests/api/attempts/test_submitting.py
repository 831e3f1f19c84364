"""Submitting attempts: what is accepted, and how errors name what is refused."""

from __future__ import annotations

import json
from typing import Any

from django.db import connection

from leaderboard.models import Attempt, Challenge, Participant
from leaderboard.services.scoring import single
from tests.api.conftest import ME, METRICS, Api, refused
from tests.helpers.statements import statements

PATH = "challenges/sprint/attempts/"


def test_an_attempt_is_accepted_with_its_url(
    submitter: Api,
    sprint: Challenge,
    notifications: list[Any],
    django_capture_on_commit_callbacks: Any,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        answer = submitter.post(PATH, ME)
    assert answer.status_code == 202
    body = answer.json()
    assert answer["Location"] == body["url"] == f"/api/v1/attempts/{body['id']}/"
    assert body["html_url"] == f"/attempts/{body['id']}/"
    assert body["status"] == "queued"
    assert body["challenge"] == "sprint"
    assert body["participant"] == "atlas"
    assert body["scoring_version"] == 1
    assert body["score"] is None
    assert body["error"] is None
    assert body["counts"] is False
    assert body["rank"] is None
    assert body["values"] == {}
    assert body["metric_values"] == {}
    assert body["metrics"] == {
        "created_at": None,
        "cost_usd": None,
        "input_tokens": None,
        "output_tokens": None,
        **METRICS,
    }
    assert notifications == [("score_attempt", body["id"])]


def test_every_field_is_accepted(submitter: Api, sprint: Challenge) -> None:
    metrics = {
        "succeeded": False,
        "tokens_total": 10**15,
        "elapsed_ms": 0,
        "rating": 7.5,
        "created_at": 1_700_000_000_000,
        "cost_usd": 0.04,
        "input_tokens": None,
        "output_tokens": 3,
    }
    extras = {"name": "Atlas II", "kind": "team", "meta": {"model": "m-1"}, "note": "A\nnote."}
    answer = submitter.post(PATH, {"participant": "atlas", "metrics": metrics, **extras})
    assert answer.status_code == 202
    body = answer.json()
    assert body["metrics"] == metrics
    assert body["meta"] == {"model": "m-1"}
    assert body["note"] == "A\nnote."
    who = Participant.objects.get()
    assert (who.name, who.kind, who.owner and who.owner.username) == ("Atlas II", "team", "bob")


WRONG: list[tuple[dict[str, Any], str]] = [
    ({**ME, "participant": "a\u202eb"}, "participant"),
    ({**ME, "participant": "a" * 121}, "participant"),
    ({**ME, "name": "\u200b"}, "name"),
    ({**ME, "values": {"score": 9}}, "values.score"),
    ({**ME, "values": {"tokens_total": 9}}, "values.tokens_total"),
    ({**ME, "values": {"time_per_task": 9}}, "values.time_per_task"),
    ({**ME, "values": {str(number): 1 for number in range(101)}}, "values"),
    ({**ME, "meta": {"a": 1}}, "meta.a"),
    ({**ME, "metrics": {"rating": "8"}}, "metrics.rating"),
]
"""tests/schemas/test_attempts.py has the fields whose form is wrong."""


def test_a_wrong_field_is_refused(submitter: Api, sprint: Challenge) -> None:
    for body, field in WRONG:
        refused(submitter.post(PATH, body), 400, "invalid", field)
    assert not Attempt.objects.exists()
    assert not Participant.objects.exists()


def test_errors_name_all_wrong_fields_together(submitter: Api, sprint: Challenge) -> None:
    body = {"colour": 1, "metrics": {"rating": "8", "foo": 1}}
    error = refused(submitter.post(PATH, body), 400, "invalid")
    assert set(error["fields"]) == {"colour", "participant", "metrics.rating", "metrics.foo"}


WRONG_JSON: dict[bytes, list[str]] = {
    b'{"participant": "a", "participant": "b", "metrics": {}}': ["participant"],
    b'{"participant": "a", "metrics": {"rating": NaN}}': ["metrics.rating"],
    b'{"participant": "a", "metrics": {"rating": 1e400}}': ["metrics.rating"],
    b'{"participant": "a", "metrics": {}, "meta": {"m": "\\u0000"}}': ["meta.m"],
    b'{"participant": "a", "metrics": {}, "note": "\\ud800"}': ["note"],
    b'{"participant": "a", "metrics": {"elapsed_ms": 1e3}}': ["metrics.elapsed_ms"],
    b"[" * 40 + b"]" * 40: [],
    b"[]": [],
    b"null": [],
    b"5": [],
    b"": ["participant"],
    b"{": [],
    b"\xff": [],
}


def test_wrong_json_is_refused(submitter: Api, sprint: Challenge) -> None:
    for body, fields in WRONG_JSON.items():
        refused(submitter.send("post", PATH, body), 400, "invalid", *fields)


def test_another_encoding_is_refused(submitter: Api, sprint: Challenge) -> None:
    kind = "application/json; charset=latin-1"
    error = refused(submitter.send("post", PATH, b"{}", kind), 415, "invalid")
    assert f'UTF-8; got "{kind}"' in error["message"]


def test_a_body_may_have_256_kib(submitter: Api, sprint: Challenge) -> None:
    body = json.dumps(ME).encode()
    fits = body + b" " * (256 * 1024 - len(body))
    assert submitter.send("post", PATH, fits).status_code == 202
    refused(submitter.send("post", PATH, fits + b" "), 413, "too_large")


def test_a_large_body_is_refused_by_its_header(submitter: Api, sprint: Challenge) -> None:
    refused(submitter.declare(PATH, 10**9), 413, "too_large")


def test_a_closed_challenge_accepts_no_attempts(submitter: Api, sprint: Challenge) -> None:
    Challenge.objects.update(is_active=False)
    refused(submitter.post(PATH, ME), 403, "closed")


def test_the_participant_of_another_user_is_refused(
    submitter: Api, stranger: Api, sprint: Challenge
) -> None:
    assert submitter.post(PATH, ME).status_code == 202
    other = {**ME, "participant": "ATLAS"}
    refused(stranger.post(PATH, other), 403, "permission_denied", "participant")


def test_an_organiser_submits_for_anyone_and_at_any_time(
    submitter: Api, organiser: Api, sprint: Challenge
) -> None:
    assert submitter.post(PATH, ME).status_code == 202
    answer = organiser.post(PATH, {**ME, "submitted_at": "2024-02-29T12:00:00+02:00"})
    assert answer.status_code == 202
    assert answer.json()["submitted_at"] == "2024-02-29T10:00:00Z"


def test_only_organisers_set_the_time(submitter: Api, stranger: Api, sprint: Challenge) -> None:
    for api in (submitter, stranger):
        answer = api.post(PATH, {**ME, "submitted_at": "2024-02-29T12:00:00Z"})
        error = refused(answer, 403, "permission_denied", "submitted_at")
        assert "only organisers" in error["message"]


def test_the_same_key_and_body_is_the_same_attempt(submitter: Api, sprint: Challenge) -> None:
    first = submitter.send("post", PATH, json.dumps(ME).encode(), headers={"Idempotency-Key": "k"})
    turned = dict(reversed(ME.items()))
    again = submitter.send(
        "post", PATH, json.dumps(turned, indent=3).encode(), headers={"Idempotency-Key": "k"}
    )
    assert (first.status_code, again.status_code) == (202, 200)
    assert first.json()["id"] == again.json()["id"]
    assert Attempt.objects.count() == 1


def test_the_same_key_and_another_body_is_a_conflict(submitter: Api, sprint: Challenge) -> None:
    key = {"Idempotency-Key": "k"}
    assert submitter.post(PATH, ME, **key).status_code == 202
    refused(submitter.post(PATH, {**ME, "note": "x"}, **key), 409, "conflict", "Idempotency-Key")


def test_each_user_has_their_own_keys(submitter: Api, organiser: Api, sprint: Challenge) -> None:
    key = {"Idempotency-Key": "k"}
    first, other = submitter.post(PATH, ME, **key), organiser.post(PATH, ME, **key)
    assert (first.status_code, other.status_code) == (202, 202)
    assert first.json()["id"] != other.json()["id"]


def test_a_wrong_key_is_refused(submitter: Api, sprint: Challenge) -> None:
    for key, got in (("k" * 201, "201 characters"), ("é", '"é"')):
        answer = submitter.post(PATH, ME, **{"Idempotency-Key": key})
        error = refused(answer, 400, "invalid", "Idempotency-Key")
        assert error["message"].endswith(f"; got {got}")


def test_submitting_takes_few_queries(submitter: Api, sprint: Challenge) -> None:
    submitter.post(PATH, ME)
    with statements() as texts:
        submitter.post(PATH, ME)
    log = [sql for sql in texts if "leaderboard_event" in sql]
    assert len(log) <= (2 if connection.vendor == "postgresql" else 3), log
    assert len(texts) - len(log) <= 12, texts


def test_a_submitted_attempt_is_scored_and_ranked(submitter: Api, sprint: Challenge) -> None:
    body = submitter.post(PATH, ME).json()
    assert single.score_waiting() == 1
    read = submitter.get(body["url"]).json()
    assert (read["status"], read["counts"], read["rank"]) == ("scored", True, 1)
    assert read["finished_at"]
