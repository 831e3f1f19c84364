"""Where the challenge holds the references, further outputs of an instance would be guesses."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.services.scoring import single
from tests.api.conftest import Api, refused
from tests.services.evaluation.text import document, shared_task, translation

PATH = "challenges/translation/"
GUESSES = ["cat", "dog", "thank you"]
ROW = {"id": "2", "actual-output": GUESSES}


def attempt(**evidence: Any) -> dict[str, Any]:
    return {"participant": "atlas", **evidence}


def imported(content: bytes) -> Callable[[Api], Any]:
    return lambda api: api.upload(f"{PATH}imports/", content, participant="atlas")


DOORS: dict[str, Callable[[Api], Any]] = {
    "outputs": lambda api: api.post(f"{PATH}attempts/", attempt(outputs={"2": GUESSES})),
    "list": lambda api: api.post(f"{PATH}attempts/", attempt(outputs=[ROW])),
    "evaluation": lambda api: api.post(
        f"{PATH}attempts/", attempt(evaluation={"instances": [ROW]})
    ),
    "bulk": lambda api: api.lines(
        f"{PATH}attempts/bulk/?atomic=1", attempt(outputs={"2": GUESSES})
    ),
    "JSON file": imported(json.dumps({"2": GUESSES}).encode()),
    "JSONL file": imported(json.dumps(ROW).encode() + b"\n"),
    "JSONL of attempts": imported(json.dumps(attempt(outputs={"2": GUESSES})).encode() + b"\n"),
    "CSV": imported(b"id,actual-output,actual-output-2,actual-output-3\n2,cat,dog,thank you\n"),
    "preview": lambda api: api.upload(
        f"{PATH}imports/?dry_run=1", json.dumps({"2": GUESSES}).encode(), participant="atlas"
    ),
}
PLACES = {
    "evaluation": "evaluation.instances.0.actual-output",
    "JSONL file": "line 1",
    "CSV": "line 2",
}
"""What names the place in an error, beside `outputs.2`."""


def test_each_door_refuses_more_outputs_than_the_challenge_allows(
    default: Tenant, alice: User, submitter: Api, organiser: Api
) -> None:
    shared_task(default, alice)
    for name, send in DOORS.items():
        answer = send(submitter)
        text = answer.content.decode()
        assert answer.status_code in (200, 400), (name, text)
        for part in ("max_outputs", "got 3", PLACES.get(name, "outputs.2")):
            assert part in text, (name, text)
    assert not Attempt.objects.exists()
    assert organiser.patch(PATH, {"max_outputs": 3}).status_code == 200
    for name, send in DOORS.items():
        answer = send(submitter)
        assert answer.status_code in (200, 202), (name, answer.content)
        assert "max_outputs; got" not in answer.content.decode(), name
    single.score_waiting()
    read = submitter.get(f"attempts/{Attempt.objects.all()[0].pk}/").json()
    assert read["max_outputs"] == 3


def test_columns_of_further_outputs_are_refused_in_json(
    default: Tenant, alice: User, submitter: Api
) -> None:
    shared_task(default, alice)
    row = {"id": "2", "actual-output": "cat", "actual-output-2": "dog"}
    for evidence, place in (
        ({"outputs": [row]}, "outputs.0.actual-output-2"),
        ({"evaluation": {"instances": [row]}}, "evaluation.instances.0.actual-output-2"),
    ):
        refused(submitter.post(f"{PATH}attempts/", attempt(**evidence)), 400, "invalid", place)


def test_the_limit_is_refused_by_name(default: Tenant, alice: User, organiser: Api) -> None:
    shared_task(default, alice)
    for wrong in (0, 1001, 1.5, "3", True):
        answer = organiser.patch(PATH, {"max_outputs": wrong})
        refused(answer, 400, "invalid", "max_outputs")


def test_documents_with_their_own_references_may_have_several_outputs(
    default: Tenant, alice: User, submitter: Api
) -> None:
    translation(default, alice, max_outputs=1)
    rows = [instance.row() for instance in document().instances]
    instances = [
        {"id": row[0], "actual-output": list(row[2]), "expected-output": list(row[3])}
        for row in rows
        if len(row) == 4
    ]
    assert max(len(instance["actual-output"]) for instance in instances) == 2
    answer = submitter.post(f"{PATH}attempts/", attempt(evaluation={"instances": instances}))
    assert answer.status_code == 202, answer.content
    assert answer.json()["max_outputs"] is None


def test_pages_say_where_several_outputs_are_allowed(
    default: Tenant, alice: User, submitter: Api
) -> None:
    challenge: Challenge = shared_task(default, alice, max_outputs=1000)
    url = DOORS["outputs"](submitter).json()["html_url"]
    single.score_waiting()
    for path in (url, "/c/translation/", "/c/translation/rules/"):
        assert "up to 1,000 outputs" in submitter.client.get(path).content.decode(), path
    assert challenge.newest.allows_guesses
