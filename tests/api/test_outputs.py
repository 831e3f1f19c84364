"""Results for outputs: documents with HarpIA Lab's keys, progress, and no leaks of references."""

from __future__ import annotations

import csv
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from leaderboard.api.files.board_table import PARTICIPANT_COLUMNS
from leaderboard.models import Attempt, Challenge, MetricRun, Tenant, User
from leaderboard.schemas.documents import parse_document
from leaderboard.services.challenges.references import store_references
from leaderboard.services.evaluation import time_slices
from leaderboard.services.scoring import single
from leaderboard.services.tokens import create_token
from tests.api.conftest import Api, refused
from tests.api.test_schema import written
from tests.parquet_files import body_text
from tests.processes import ROOT
from tests.services.evaluation.text import shared_task, translation
from tests.services.house import house

PATH = "challenges/translation/attempts/"
BOARD = "challenges/translation/leaderboard"
VECTORS = json.loads((ROOT / "tests" / "seeds" / "harpia_documents.json").read_text())
HELD = "expected-words-that-nobody-may-read"


@pytest.fixture(scope="module", autouse=True)
def _in_house() -> Iterator[None]:
    with house():
        yield


@pytest.fixture
def open_one(default: Tenant, alice: User) -> Challenge:
    return translation(default, alice, text_metrics=[], scoring_strategy="first", rank_by=[])


@pytest.fixture
def task(default: Tenant, alice: User) -> Challenge:
    return shared_task(default, alice)


def sent(api: Api, **evidence: Any) -> dict[str, Any]:
    answer = api.post(PATH, {"participant": "atlas", **evidence})
    assert answer.status_code == 202, answer.content
    read: dict[str, Any] = answer.json()
    return read


def test_answers_are_cached_privately(task: Challenge, submitter: Api, organiser: Api) -> None:
    url = finished(submitter, outputs={"1": "a"})
    paths = ["", "output.json", "log.jsonl"]
    for path in [*(f"{url}{ending}" for ending in paths), "/api/v1/challenges/translation/"]:
        assert organiser.get(path)["Cache-Control"] == "private, no-cache", path
    assert submitter.get(f"{url}log.jsonl")["Cache-Control"] == "private, no-cache", "a refusal"


def finished(api: Api, **evidence: Any) -> str:
    """Return the path of an attempt that is scored."""
    url: str = sent(api, **evidence)["url"]
    single.score_waiting()
    assert api.get(url).json()["status"] == "scored"
    return url


def log(api: Api, url: str) -> list[Any]:
    answer = api.get(f"{url}log.jsonl")
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"] == "application/x-ndjson"
    return [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]


def same(actual: Any, expected: Any) -> bool:
    """Compare values; numbers to 1e-9; a text in angle brackets matches any number."""
    match expected:
        case str() if expected.startswith("<number"):
            return type(actual) is float and actual >= 0
        case dict():
            return actual.keys() == expected.keys() and all(
                same(actual[key], expected[key]) for key in expected
            )
        case list():
            return len(actual) == len(expected) and all(map(same, actual, expected))
        case float():
            return bool(actual == pytest.approx(expected, abs=VECTORS["vectors"][0]["tolerance"]))
    return bool(actual == expected)


@pytest.mark.parametrize("vector", VECTORS["vectors"], ids=lambda vector: str(vector["name"]))
def test_documents_equal_those_of_harpia_lab(
    submitter: Api, open_one: Challenge, vector: Any
) -> None:
    url = finished(submitter, evaluation=vector["input"])
    answer = submitter.get(f"{url}output.json")
    assert "output.json" in answer["Content-Disposition"]
    assert same(answer.json(), vector["expected"]["output"])
    assert same(log(submitter, url), vector["expected"]["log"])
    values = submitter.get(url).json()["metric_values"]
    score = vector["expected"]["output"][0]["score"]
    assert values["BLEU_NLTK"]["value"] == pytest.approx(score["mean_of_sentence_bleu"])
    assert values["BLEU_NLTK:corpus_bleu"]["value"] == pytest.approx(score["corpus_bleu"])
    assert Api().get(f"{url}output.json").json() == answer.json(), "anybody may read it"


def test_boards_have_the_ranked_and_the_named_numbers(
    submitter: Api, organiser: Api, default: Tenant, alice: User
) -> None:
    translation(default, alice, text_metrics=["words", "rouge"], rank_by=[{"key": "ROUGE:rougeL"}])
    row = {"id": 1, "actual-output": "a b c", "expected-output": "a c b"}
    read = submitter.get(finished(submitter, evaluation={"instances": [row]})).json()
    computed = ["WORDS", "ROUGE", "ROUGE:rouge2", "ROUGE:rougeL"]
    assert list(read["metric_values"]) == computed, "an attempt has them all"
    assert board_keys(submitter) == ["ROUGE:rougeL", "WORDS", "ROUGE"]
    refused(submitter.get(f"{BOARD}/?sort=ROUGE:rouge2"), 400, "invalid", "sort")

    columns = [{"key": "ROUGE:rouge2", "label": "ROUGE-2"}]
    assert organiser.patch("challenges/translation/", {"columns": columns}).status_code == 200
    assert board_keys(submitter) == ["ROUGE:rougeL", "WORDS", "ROUGE", "ROUGE:rouge2"]


def board_keys(api: Api) -> list[str]:
    """Return the keys of text metrics on the board; its exports have the same columns."""
    read = api.get(f"{BOARD}/").json()
    keys = [column["key"] for column in read["columns"]]
    names = next(csv.reader(api.get(f"{BOARD}.csv").getvalue().decode().splitlines()))
    assert names[len(PARTICIPANT_COLUMNS) : len(PARTICIPANT_COLUMNS) + len(keys)] == keys
    assert [json.loads(api.get(f"{BOARD}.jsonl").getvalue())] == read["rows"]
    measured = [key for key in keys if f"{key} (defined)" in names]
    assert list(read["rows"][0]["values"])[: len(measured)] == measured
    return measured


def test_documents_exist_after_scoring(submitter: Api, open_one: Challenge) -> None:
    url = sent(submitter, evaluation=VECTORS["vectors"][0]["input"])["url"]
    for name in ("output.json", "log.jsonl"):
        refused(submitter.get(f"{url}{name}"), 409, "conflict")


def test_attempts_without_outputs_have_no_documents(submitter: Api, sprint: Challenge) -> None:
    body = {"participant": "atlas", "metrics": {"succeeded": True}}
    read = submitter.post("challenges/sprint/attempts/", body).json()
    assert read["progress"] is None
    single.score_waiting()
    for name in ("output.json", "log.jsonl"):
        refused(submitter.get(f"{read['url']}{name}"), 404, "not_found")


def test_hidden_attempts_have_no_documents(
    stranger: Api, organiser: Api, default: Tenant, alice: User
) -> None:
    translation(default, alice, visibility="private")
    url = finished(organiser, evaluation={"instances": [{"id": 1, "actual-output": "a"}]})
    assert organiser.get(f"{url}output.json").status_code == 200
    for name in ("output.json", "log.jsonl"):
        refused(stranger.get(f"{url}{name}"), 404, "not_found")


def test_progress_is_shown_until_the_end(
    submitter: Api, organiser: Api, open_one: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.rules.rewards.instances.ROWS_PER_BLOCK", 1)
    rows = [{"id": at, "actual-output": "one word"} for at in range(6)]
    document = {"instances": rows, "metrics": ["words", "longest", {"id": "f1", "enable": False}]}
    url = sent(submitter, evaluation=document)["url"]
    assert submitter.get(url).json()["progress"] == {"done": 0, "total": 12}
    with monkeypatch.context() as patched:
        patched.setattr(
            time_slices.TimeSlice, "is_over", lambda time_slice: time_slice._first is not None
        )
        single.score_waiting()
    read = submitter.get(url).json()
    assert read["status"] == "scoring"
    assert 0 < read["progress"]["done"] < 12
    assert read["progress"]["total"] == 12
    (listed,) = submitter.get(PATH).json()["results"]
    assert listed["progress"] == read["progress"]
    single.score_waiting()
    single.score_waiting()
    read = submitter.get(url).json()
    assert (read["status"], read["progress"]) == ("scored", None)


def test_many_waiting_attempts_take_as_many_queries_as_one(
    submitter: Api, open_one: Challenge, django_assert_max_num_queries: Any
) -> None:
    document = {"instances": [{"id": 1, "actual-output": "a"}], "metrics": ["words"]}
    for _ in range(3):
        sent(submitter, evaluation=document)
    submitter.get(PATH)
    with django_assert_max_num_queries(14):
        results = submitter.get(PATH).json()["results"]
    assert [result["progress"] for result in results] == [{"done": 0, "total": 1}] * 3


def test_a_failed_metric_is_in_both_documents(submitter: Api, open_one: Challenge) -> None:
    row = {"id": 1, "actual-output": "secret", "expected-output": "x"}
    document = {"instances": [row], "metrics": ["exact_match", "fails"]}
    url = finished(submitter, evaluation=document)
    first, second = submitter.get(f"{url}output.json").json()
    assert first["score"] == {"exact_match": 0.0}
    error = {"code": "exception", "message": "The text metric stopped with ValueError."}
    assert (second["score"], second["error"]) == (None, error)
    assert log(submitter, url)[-1]["error"] == error


@pytest.fixture
def private_task(default: Tenant, alice: User) -> Challenge:
    """A challenge whose references have words of their own; one of its metrics would reveal
    them."""
    challenge = translation(default, alice, text_metrics=["exact_match", "bleu_nltk", "tells"])
    rows = [
        {"id": at, "input": f"input {at}", "expected-output": [f"{HELD} {at}"], "hint": HELD}
        for at in range(5)
    ]
    document = parse_document({"instances": rows})
    store_references(challenge, user=alice, document=document)
    challenge.refresh_from_db()
    return challenge


def readable(api: Api, challenge: Challenge, attempt: str) -> Iterator[tuple[str, str]]:
    """Yield every answer of every path that can be read."""
    names = {
        "slug": challenge.slug,
        "id": attempt,
        "pk": attempt,
        "participant": "atlas",
        "key": "croissant",
        "number": "1",
    }
    for path, methods in written()["paths"].items():
        if "get" not in methods:
            continue
        for name, value in names.items():
            path = path.replace(f"{{{name}}}", value)
        assert "{" not in path
        answer = api.get(path)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        yield path, body_text(content)


def test_no_address_reveals_references(
    submitter: Api,
    stranger: Api,
    anyone: Api,
    organiser: Api,
    private_task: Challenge,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Neither others nor the participant see them, in any path, error or log of the server."""
    caplog.set_level(logging.DEBUG)
    url = finished(submitter, outputs={"0": "nearly right", "1": "a wrong answer", "2": None})
    attempt = url.rstrip("/").rpartition("/")[2]
    run = MetricRun.objects.get(key="TELLS")
    assert HELD in run.error_detail, "the metric tried to tell"
    for api in (submitter, stranger, anyone):
        read = dict(readable(api, private_task, attempt))
        assert len(read) > 12
        for path, text in read.items():
            assert HELD not in text, path
        refused(api.get(f"{url}log.jsonl"), 403, "permission_denied")
        assert '"score"' in read[f"{url}output.json"]
    for wrong in (
        {"outputs": {"nobody": "x"}},
        {"evaluation": {"instances": [{"id": 0, "actual-output": "a", "expected-output": "b"}]}},
        {"evaluation": {"instances": [{"id": 0, "actual-output": 7}]}},
    ):
        answer = submitter.post(PATH, {"participant": "atlas", **wrong})
        assert answer.status_code == 400
        assert HELD not in answer.content.decode()
    assert HELD not in caplog.text
    assert len(log(organiser, url)) == 11
    assert (
        HELD
        in dict(readable(organiser, private_task, attempt))[
            f"/api/v1/challenges/{private_task.slug}/instances.jsonl"
        ]
    )


def test_a_public_challenge_shows_everything(submitter: Api, task: Challenge) -> None:
    url = finished(submitter, outputs={"1": "hello"})
    refused(submitter.get(f"{url}log.jsonl"), 403, "permission_denied")
    Challenge.objects.update(references_visibility="public")
    assert [line["result"] for line in log(submitter, url)] == [1.0, 0.0, 0.0]


def test_a_token_that_may_only_submit_reads_no_log(
    alice: User, default: Tenant, submitter: Api, task: Challenge
) -> None:
    """Its user organises the challenge, but the token may not."""
    url = finished(submitter, outputs={"1": "hello"})
    token = Api(create_token(user=alice, scopes=["submit"], tenant=default)[1])
    refused(token.get(f"{url}log.jsonl"), 403, "permission_denied")
    assert Attempt.objects.get().status == "scored"
