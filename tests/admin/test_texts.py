"""Text metrics and references in the form of a challenge."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.forms import reference_fields
from leaderboard.models import Challenge, References, Tenant, User
from leaderboard.schemas.documents import parse_outputs
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from tests.admin.pages import check_refused, form_of, messages_of, saved, typed, url
from tests.services.evaluation.text import instances, shared_task, translation

METRICS = ["EXACT_MATCH", {"id": "BLEU_NLTK", "name": "bleu", "parameters": {"auto_reweigh": True}}]
DOCUMENT = json.dumps({"instances": instances(**{"1": "hello"})}).encode()


def upload(content: bytes = DOCUMENT, name: str = "expected.json") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


@pytest.fixture
def task(north: Tenant) -> Challenge:
    return shared_task(north, None)


def test_text_metrics_are_typed_as_json(as_nora: Client, sprint: Challenge) -> None:
    path = url("challenge", "change", sprint.pk)
    post = typed(
        as_nora.get(path),
        scoring_strategy="metric",
        text_metrics=json.dumps(METRICS),
        text_timeout_ms="30000",
        references_visibility="public",
        rank_by__0__key="bleu:corpus_bleu",
    )
    saved(as_nora, path, post)
    sprint.refresh_from_db()
    config = sprint.newest
    assert (config.text_metrics, config.text_timeout_ms) == (METRICS, 30_000)
    assert (sprint.references_visibility, config.number) == ("public", 2)
    form = form_of(as_nora.get(path))
    assert json.loads(form["text_metrics"].value()) == METRICS


def test_saving_unchanged_text_metrics_makes_no_version(as_nora: Client, task: Challenge) -> None:
    path = url("challenge", "change", task.pk)
    saved(as_nora, path, typed(as_nora.get(path), summary="Said anew", text_timeout_ms=""))
    task.refresh_from_db()
    assert (task.summary, task.newest.number) == ("Said anew", 2)


def test_errors_name_the_place(as_nora: Client, task: Challenge) -> None:
    path = url("challenge", "change", task.pk)
    misspelt = json.dumps(["F1", {"id": "BLEU_NLTK", "parameters": {"wheights": 1}}])
    for field, value, message in (
        ("text_metrics", '["METEOR"]', "text_metrics.0.id:"),
        ("text_metrics", '["F1", "f1"]', 'got "F1" twice'),
        ("text_metrics", misspelt, "text_metrics.1.parameters.wheights:"),
        ("text_metrics", '{"id": "F1"}', "a JSON list"),
        ("text_timeout_ms", "0", "from 1 to"),
    ):
        check_refused(as_nora, path, field, value, message)


def test_a_file_of_references_is_stored(as_nora: Client, north: Tenant) -> None:
    challenge = translation(north, None)
    path = url("challenge", "change", challenge.pk)
    page = as_nora.get(path)
    assert 'enctype="multipart/form-data"' in page.content.decode()
    assert "references_release" not in form_of(page).fields
    answer = saved(as_nora, path, typed(page, references=upload()))
    challenge.refresh_from_db()
    assert challenge.newest.references is not None
    assert challenge.newest.references.instance_count == 3
    assert challenge.newest.references.created_by is not None
    stored, left_out = messages_of(answer)[:2]
    assert "3 instances" in stored
    assert "actual-output" in left_out
    content = as_nora.get(path).content.decode()
    assert 'href="/api/v1/challenges/translation/instances.jsonl">3 instances<' in content


def test_a_new_challenge_may_have_a_file_of_references(as_nora: Client, north: Tenant) -> None:
    page = url("challenge", "add")
    post = typed(
        as_nora.get(page),
        name="Summaries",
        tenant=str(north.pk),
        scoring_strategy="metric",
        text_metrics=json.dumps(METRICS),
        rank_by__0__key="bleu",
        references=upload(b"id,expected-output\n1,a\n2,b\n", "expected.csv"),
    )
    saved(as_nora, page, post)
    challenge = Challenge.objects.get(slug="summaries")
    assert challenge.newest.references is not None
    assert challenge.newest.references.instance_count == 2
    assert (challenge.shown, challenge.newest.number) == (challenge.newest, 1)


def test_a_file_and_changed_scoring_make_one_version(as_nora: Client, task: Challenge) -> None:
    submit_attempt(
        challenge=task,
        user=User.objects.get(username="nora"),
        new=NewAttempt(participant="atlas", outputs=parse_outputs({"1": "hello"})),
    )
    path = url("challenge", "change", task.pk)
    post = typed(
        as_nora.get(path),
        text_metrics=json.dumps(METRICS),
        rank_by__0__key="bleu",
        references=upload(b"id,expected-output\n1,a\n2,b\n", "expected.csv"),
    )
    answer = saved(as_nora, path, post)
    task.refresh_from_db()
    assert (task.newest.number, task.shown.number) == (3, 2)
    assert task.newest.text_metrics == METRICS
    assert task.newest.references is not None
    assert task.newest.references.instance_count == 2
    assert any("version 3" in text and "version 2" in text for text in messages_of(answer))


def test_references_are_removed_and_not_replaced_at_once(as_nora: Client, task: Challenge) -> None:
    path = url("challenge", "change", task.pk)
    post = typed(as_nora.get(path), references_release=True, references=upload())
    assert list(form_of(as_nora.post(path, post)).errors) == ["references_release"]
    saved(as_nora, path, typed(as_nora.get(path), references_release=True))
    task.refresh_from_db()
    assert (task.newest.references_id, task.newest.number) == (None, 3)
    assert References.objects.count() == 1


def test_a_wrong_file_saves_nothing(
    as_nora: Client, task: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = url("challenge", "change", task.pk)

    def errors_of(content: bytes) -> str:
        post = typed(as_nora.get(path), summary="Said anew", references=upload(content))
        return " ".join(form_of(as_nora.post(path, post)).errors["references"])

    for content, message in (
        (b"hello", "with instances"),
        (b'{"instances": [{"id": 1}, {"id": 1}]}', "instances.1.id: .*; got 1 twice"),
        (b"id,expected-output\n1\n", "line 2: .* 2 cells"),
        (b"PK\x03\x04", "expected.json"),
        (b"", "not empty"),
    ):
        assert re.search(message, errors_of(content)), content
    monkeypatch.setattr(reference_fields, "MAX_BYTES", 10)
    assert "at most 0 MiB" in errors_of(DOCUMENT)
    task.refresh_from_db()
    assert (task.summary, task.newest.number) == ("", 2)


def test_errors_name_every_wrong_line_and_quote_none(as_nora: Client, task: Challenge) -> None:
    rows: list[dict[str, Any]] = [{"id": 1, "expected-output": "the secret"}] * 3
    content = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    path = url("challenge", "change", task.pk)
    answer = as_nora.post(path, typed(as_nora.get(path), references=upload(content)))
    errors = form_of(answer).errors["references"]
    assert [text.partition(":")[0] for text in errors] == [
        "expected.json, line 2, id",
        "expected.json, line 3, id",
    ]
    assert "secret" not in answer.content.decode()


def test_the_page_lists_the_text_metrics(as_nora: Client, task: Challenge) -> None:
    content = as_nora.get(url("challenge", "change", task.pk)).content.decode()
    assert "<code>EXACT_MATCH</code>" in content
    assert '<option value="EXACT_MATCH"></option>' in content
