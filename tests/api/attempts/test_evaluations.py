"""Attempts with outputs of models: what is accepted, and how errors name what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.api import bodies, bulk_parsers
from leaderboard.models import Attempt, Challenge, Evaluation, InstanceBlock, Tenant, User
from leaderboard.rules.rewards.documents import MAX_INSTANCES
from tests.api.conftest import METRICS, Api, refused
from tests.services.evaluation.text import shared_task, translation

PATH = "challenges/translation/attempts/"
ONE = {"id": "1", "input": "Bom dia", "actual-output": "hello", "expected-output": ["hi", "hello"]}


@pytest.fixture
def open_one(default: Tenant, alice: User) -> Challenge:
    """A challenge whose attempts have references of their own."""
    return translation(default, alice)


@pytest.fixture
def task(default: Tenant, alice: User) -> Challenge:
    """A challenge with references."""
    return shared_task(default, alice, max_outputs=2)


def evaluation(*rows: Any, **more: Any) -> dict[str, Any]:
    return {"participant": "atlas", "evaluation": {"instances": list(rows), **more}}


def outputs(**by_id: Any) -> dict[str, Any]:
    return {"participant": "atlas", "outputs": by_id}


def test_a_document_is_stored_unchanged(submitter: Api, open_one: Challenge) -> None:
    metrics = [{"id": "f1", "enable": True, "parameters": {}, "colour": "red"}]
    answer = submitter.post(PATH, evaluation(ONE, {"id": 2}, metrics=metrics, model="atlas-2"))
    assert answer.status_code == 202, answer.content
    assert answer.json()["instances"] == 2
    stored = Evaluation.objects.get()
    assert (stored.metrics, stored.extra) == (metrics, {"model": "atlas-2"})
    assert submitter.get(answer.json()["url"]).json()["instances"] == 2


def test_a_document_may_be_sent_with_other_evidence(submitter: Api, open_one: Challenge) -> None:
    body = evaluation(ONE) | {"metrics": METRICS, "values": {"solved": 9}}
    read = submitter.post(PATH, body).json()
    assert (read["instances"], read["values"], read["metrics"]["rating"]) == (1, {"solved": 9.0}, 8)


def test_an_attempt_without_evidence_is_refused(submitter: Api, sprint: Challenge) -> None:
    answer = submitter.post("challenges/sprint/attempts/", {"participant": "a", "metrics": {}})
    assert answer.json()["instances"] is None
    error = refused(
        submitter.post("challenges/sprint/attempts/", {"participant": "a"}), 400, "invalid"
    )
    assert "evaluation, outputs" in error["message"]


BY_ID = {"1": "hello", "2": ["thanks", "thank you"]}


@pytest.mark.parametrize(
    "brought", [BY_ID, [{"id": int(key), "actual-output": text} for key, text in BY_ID.items()]]
)
def test_outputs_are_accepted_by_id(submitter: Api, task: Challenge, brought: Any) -> None:
    answer = submitter.post(PATH, {**outputs(), "outputs": brought})
    assert answer.status_code == 202, answer.content
    assert answer.json()["instances"] == 3
    (block,) = InstanceBlock.objects.all()
    assert block.rows() == [["1", "", ["hello"]], ["2", "", ["thanks", "thank you"]], ["3"]]


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"evaluation": None}, "evaluation", "null"),
    ({"evaluation": {}}, "evaluation.instances", "is required"),
    ({"evaluation": {"instances": [{"id": 1.0}]}}, "evaluation.instances.0.id", "whole number"),
    (
        {"evaluation": {"instances": [ONE], "metrics": ["METEOR"]}},
        "evaluation.metrics.0.id",
        'got "METEOR"',
    ),
    ({"outputs": None}, "outputs", "null"),
    ({"outputs": ["hello"]}, "outputs.0", "an object with id"),
    ({"outputs": {"1": ["a", None]}}, "outputs.1.1", "a text"),
    ({"outputs": {"1": "a"}}, "outputs", "holds no expected outputs"),
]
"""tests/schemas/test_documents.py has the documents whose form is wrong."""


def test_errors_name_what_is_wrong(submitter: Api, sprint: Challenge) -> None:
    for evidence, field, text in WRONG:
        body = {"participant": "atlas", **evidence}
        answer = submitter.post("challenges/sprint/attempts/", body)
        error = refused(answer, 400, "invalid", field)
        assert text in error["fields"][field][0]
    assert not Attempt.objects.exists()


def test_a_text_that_databases_cannot_store_is_refused(submitter: Api, open_one: Challenge) -> None:
    for text, problem in ((b"\\u0000", "NUL"), (b"\\ud800", "surrogate")):
        body = json.dumps(evaluation({**ONE, "input": "HERE"})).encode().replace(b"HERE", text)
        error = refused(
            submitter.send("post", PATH, body), 400, "invalid", "evaluation.instances.0.input"
        )
        assert problem in error["message"]
    deep: Any = "x"
    for _ in range(40):
        deep = [deep]
    refused(submitter.post(PATH, evaluation({**ONE, "extra": deep})), 400, "invalid")


@pytest.mark.slow
def test_the_limit_of_parts_allows_the_largest_document(
    submitter: Api, open_one: Challenge
) -> None:
    """The largest number of instances, with two references and two other fields each."""
    rows = [
        {
            "id": at,
            "input": "a",
            "actual-output": "b",
            "expected-output": ["b", "c"],
            "x": 1,
            "y": 2,
        }
        for at in range(MAX_INSTANCES)
    ]
    answer = submitter.post(PATH, evaluation(*rows))
    assert answer.status_code == 202, answer.content[:300]
    assert answer.json()["instances"] == MAX_INSTANCES


def test_only_bodies_with_texts_may_be_large(
    submitter: Api, open_one: Challenge, sprint: Challenge
) -> None:
    """A body may be large if it has texts, and only then."""
    long = "x" * (bodies.MAX_BYTES + 1)
    assert submitter.post(PATH, evaluation({**ONE, "input": long})).status_code == 202
    refused(
        submitter.post(PATH, {"participant": "a", "metrics": {}, "note": long}), 413, "too_large"
    )


def test_the_largest_body_is_accepted(
    submitter: Api, open_one: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, size in (("evaluation", 5000), ("samples", 3000)):
        monkeypatch.setitem(bodies.BYTES_WITH, name, size)
    body = evaluation({**ONE, "input": "x" * 4000})
    assert submitter.post(PATH, body).status_code == 202
    body = evaluation({**ONE, "input": "x" * 6000})
    refused(submitter.post(PATH, body), 413, "too_large")
    samples = [{"task": "t", "sample": 0, "rewards": None, "error": "e" * 900}] * 4
    refused(submitter.post(PATH, {"participant": "a", "samples": samples}), 413, "too_large")
    assert bodies.MAX_BYTES_OF_TEXTS == 64 * 2**20
    refused(submitter.declare(PATH, 64 * 2**20 + 1), 413, "too_large")


def test_many_attempts_with_outputs_are_accepted_in_bulk(submitter: Api, task: Challenge) -> None:
    lines = [outputs(**{"1": "a"}), outputs(**{"9": "a"}), evaluation({"id": 2}), evaluation()]
    body = submitter.lines(f"{PATH}bulk/", *lines).json()
    assert body["accepted"] == 2
    places = {line["line"]: list(line["error"]["fields"]) for line in body["rejected"]}
    assert places == {2: ["outputs.9"], 4: ["evaluation.instances"]}
    assert [attempt.instance_count for attempt in Attempt.objects.all()] == [3, 3]


def test_a_line_of_a_bulk_has_a_size_limit(
    submitter: Api, task: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_parsers, "MAX_LARGE_BYTES", 2000)
    body = submitter.lines(
        f"{PATH}bulk/", outputs(**{"1": "a" * 1500}), outputs(**{"1": "a" * 2500})
    ).json()
    assert (body["accepted"], [rejection["error"]["code"] for rejection in body["rejected"]]) == (
        1,
        ["too_large"],
    )
