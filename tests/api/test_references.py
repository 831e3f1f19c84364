"""The references of a challenge: how they are sent, and who reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.api import parsers
from leaderboard.models import Challenge, References, Tenant, User
from leaderboard.services.tokens import create_token
from tests.api.conftest import Api, refused
from tests.services.evaluation.text import EXPECTED, instances, shared_task, translation

PATH = "challenges/translation/references/"
INSTANCES = "challenges/translation/instances.jsonl"
INPUTS = [{"id": instance_id, "input": f"input {instance_id}"} for instance_id in EXPECTED]
WHOLE = [
    {"id": instance_id, "input": f"input {instance_id}", "expected-output": expected}
    for instance_id, expected in EXPECTED.items()
]


@pytest.fixture
def challenge(default: Tenant, alice: User) -> Challenge:
    return translation(default, alice)


@pytest.fixture
def task(default: Tenant, alice: User) -> Challenge:
    return shared_task(default, alice)


def rows_of(answer: Any) -> list[Any]:
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/x-ndjson"
    assert "private" in answer["Cache-Control"]
    return [json.loads(line) for line in answer.getvalue().splitlines()]


def put(api: Api, body: bytes, content_type: str = "application/json") -> Any:
    return api.send("put", PATH, body, content_type)


DOCUMENT = json.dumps({"instances": instances()}).encode()
LINES = b"".join(json.dumps(row).encode() + b"\n" for row in instances())
TABLE = (
    b"id,input,expected-output,expected-output-2\n"
    b"1,input 1,good morning,hello\n2,input 2,thank you,\n3,input 3,the cat sleeps,\n"
)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [(DOCUMENT, "application/json"), (LINES, "application/x-ndjson"), (TABLE, "text/csv")],
)
def test_references_are_stored(
    organiser: Api, challenge: Challenge, body: bytes, content_type: str
) -> None:
    answer = put(organiser, body, content_type)
    assert answer.status_code == 200, answer.content
    assert answer.json() == {"instances": 3, "scoring_version": 2, "warnings": []}
    read = organiser.get("challenges/translation/").json()
    assert (read["instances"], read["scoring_version"]) == (3, 2)
    assert organiser.get("challenges/").json()["results"][0]["instances"] == 3
    assert rows_of(organiser.get(INSTANCES)) == WHOLE


def test_the_same_references_are_stored_once(organiser: Api, challenge: Challenge) -> None:
    assert put(organiser, DOCUMENT).json() == put(organiser, TABLE, "text/csv").json()
    assert References.objects.count() == 1


def test_omitted_fields_are_reported(organiser: Api, challenge: Challenge) -> None:
    rows = instances(**{"1": "hello"})
    answer = put(organiser, json.dumps({"instances": rows, "metrics": ["F1"]}).encode())
    assert [text.split(" ")[0] for text in answer.json()["warnings"]] == ["The", "actual-output"]


def test_references_are_removed(organiser: Api, task: Challenge) -> None:
    assert organiser.delete(PATH).status_code == 204
    read = organiser.get("challenges/translation/").json()
    assert (read["instances"], read["scoring_version"]) == (None, 3)
    refused(organiser.get(INSTANCES), 404, "not_found")
    refused(organiser.delete(PATH), 404, "not_found")


def test_only_organisers_change_references(
    submitter: Api, stranger: Api, anyone: Api, organiser: Api, task: Challenge, alice: User
) -> None:
    for api in (submitter, stranger):
        refused(put(api, DOCUMENT), 403, "permission_denied")
        refused(api.delete(PATH), 403, "permission_denied")
    refused(put(anyone, DOCUMENT), 401, "not_authenticated")
    refused(anyone.delete(PATH), 401, "not_authenticated")
    Challenge.objects.update(visibility="private")
    refused(put(stranger, DOCUMENT), 404, "not_found")
    for api in (submitter, stranger, anyone):
        refused(api.get(INSTANCES), 404, "not_found")
    assert rows_of(organiser.get(INSTANCES)) == WHOLE


def test_references_are_hidden(
    submitter: Api, stranger: Api, anyone: Api, organiser: Api, task: Challenge
) -> None:
    for api in (submitter, stranger, anyone):
        assert rows_of(api.get(INSTANCES)) == INPUTS
    assert rows_of(organiser.get(INSTANCES)) == WHOLE
    organiser.patch("challenges/translation/", {"references_visibility": "public"})
    for api in (submitter, stranger, anyone):
        assert rows_of(api.get(INSTANCES)) == WHOLE


def test_a_token_that_may_only_submit_sees_no_references(
    alice: User, default: Tenant, task: Challenge
) -> None:
    token = create_token(user=alice, scopes=["submit"], tenant=default)[1]
    assert rows_of(Api(token).get(INSTANCES)) == INPUTS
    assert rows_of(Api(user=alice).get(INSTANCES)) == WHOLE


def test_errors_name_what_is_wrong(organiser: Api, challenge: Challenge) -> None:
    for body, text in (
        (b"", "a document with instances"),
        (b'{"instances": []}', "1 to 100000 instances; got 0"),
        (b'{"instances": [{"id": 1}, {"id": "1"}]}', "instances.1.id: "),
        (b'{"instances": [{"id": 1, "expected-output": [7]}]}', "instances.0.expected-output.0"),
        (b'{"instances": [{"id": 1, "x": "\\u0000"}]}', "NUL"),
        (LINES + b"{\n", "line 4: must be JSON"),
        (b"PK\x03\x04", "references"),
        (b'{"foo": 1}', "with the fields foo"),
        (b'[{"ID": 1, "expected-output": "a"}]', '0.ID: must be a known field; got "ID"'),
        (b'[{"id": 1}]', "a list of entries with the fields id"),
        (b'{"id": 1}\n{"id": 2}', "lines with the fields id"),
        (b"id,expected\n1,a\n", "got id, expected"),
        (b"id;expected_output\n1;a\n", "got 'expected_output'"),
    ):
        error = refused(put(organiser, body), 400, "invalid", "references")
        assert text in " ".join([error["message"], *error["fields"]["references"]])
    assert not References.objects.exists()


def test_other_fields_are_stored_and_reported(organiser: Api, challenge: Challenge) -> None:
    """HarpIA's document may have them; a misspelt field would otherwise not be noticed."""
    for body in (
        b"id,expected-output,level,who\n1,a,3,me\n2,b,,\n",
        b'[{"id": 1, "expected-output": "a", "level": 3, "who": "me"}]',
        b'{"id": 1, "expected-output": "a", "level": 3}\n'
        b'{"id": 2, "expected-output": "b", "who": "me"}\n',
        b'{"instances": [{"id": 1, "expected-output": "a", "level": 3, "who": "me"}]}',
    ):
        answer = put(organiser, body)
        assert answer.status_code == 200
        (warning,) = answer.json()["warnings"]
        assert ": level, who; known are id, input, actual-output, expected-output" in warning


def test_a_field_with_a_typing_error_is_refused(organiser: Api, challenge: Challenge) -> None:
    """It would be stored as another field, and the metrics would have no references."""
    for body in (
        b"id,input,expected-output,actual-outptu\n1,a,b,c\n",
        b'[{"id": 1, "expectd-output": "a"}]',
        b'{"id": 1, "expected-output": "a"}\n{"id": 2, "expected-ouput": "b"}\n',
        b'{"instances": [{"id": 1, "expected-outputs": "a"}]}',
    ):
        error = refused(put(organiser, body), 400, "invalid", "references")
        assert "did you mean " in error["message"]


def test_errors_name_every_wrong_line_and_quote_none(organiser: Api, challenge: Challenge) -> None:
    rows: list[dict[str, Any]] = [{"id": at, "expected-output": "the secret"} for at in range(5)]
    rows[1]["id"] = rows[3]["id"] = 0
    rows[2]["expected_output"] = rows[2].pop("expected-output")
    body = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    error = refused(put(organiser, body, "application/x-ndjson"), 400, "invalid", "references")
    assert [text.split(":")[0] for text in error["fields"]["references"]] == [
        "references, line 2, id",
        "references, line 3, expected_output",
        "references, line 4, id",
    ]
    assert "secret" not in str(error)


def test_too_large_bodies_and_other_content_types_are_refused(
    organiser: Api, challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(put(organiser, DOCUMENT, "text/plain"), 415, "invalid")
    monkeypatch.setattr(parsers.InstancesParser, "most", 20)
    for content_type in ("application/json", "application/x-ndjson", "text/csv"):
        refused(put(organiser, DOCUMENT, content_type), 413, "too_large")


def test_text_metrics_are_fields_of_a_challenge(organiser: Api) -> None:
    fields = {
        "name": "Translation",
        "scoring_strategy": "metric",
        "text_metrics": [
            "exact_match",
            {"id": "bleu_nltk", "name": "bleu", "parameters": {"auto_reweigh": True}},
        ],
        "text_timeout_ms": 30_000,
        "references_visibility": "public",
        "rank_by": [{"key": "bleu:corpus_bleu", "direction": "desc"}, {"key": "EXACT_MATCH"}],
        "columns": [{"key": "bleu", "label": "BLEU"}],
    }
    body = organiser.post("challenges/", fields).json()
    assert body["text_metrics"] == [
        "EXACT_MATCH",
        {"id": "BLEU_NLTK", "name": "bleu", "parameters": {"auto_reweigh": True}},
    ]
    assert (body["text_timeout_ms"], body["references_visibility"], body["instances"]) == (
        30_000,
        "public",
        None,
    )
    changed = organiser.patch(body["url"], {"text_metrics": [*body["text_metrics"], "F1"]}).json()
    assert (changed["scoring_version"], changed["text_metrics"][-1]) == (2, "F1")


def test_errors_name_wrong_fields(organiser: Api, challenge: Challenge) -> None:
    for change, field in (
        ({"text_metrics": None}, "text_metrics"),
        ({"text_metrics": ["METEOR"]}, "text_metrics.0.id"),
        ({"text_timeout_ms": 0}, "text_timeout_ms"),
        ({"references_visibility": "participant"}, "references_visibility"),
        ({"instances": 5}, "instances"),
        ({"rank_by": [{"key": "F1"}]}, "rank_by.0.key"),
    ):
        answer = organiser.patch("challenges/translation/", change)
        refused(answer, 400, "invalid", field)
