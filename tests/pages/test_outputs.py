"""Submitting outputs of models on a page: the form, the preview and the errors."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.services.challenges.challenges import change_challenge
from tests.pages.reading import get, hidden_fields, words
from tests.people import participant_named
from tests.services.evaluation.text import EXPECTED, instances, shared_task, translation

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]

PATH = "/c/translation/submit/"


@pytest.fixture
def task(tenant: Tenant, ann: User) -> Challenge:
    return shared_task(tenant, ann)


@pytest.fixture
def open_task(tenant: Tenant, ann: User) -> Challenge:
    return translation(tenant, ann)


def looked_at(client: Client, content: Any, status: int = 200, **fields: str) -> str:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    given = {"file": SimpleUploadedFile("run.json", body), **fields}
    response = client.post(f"{PATH}file/", given)
    assert response.status_code == status, words(response.content.decode())
    return response.content.decode()


def test_the_page_says_what_to_submit_to_a_shared_task(
    as_ben: Client, as_ann: Client, task: Challenge, ann: User
) -> None:
    html = get(as_ben, PATH)
    text = words(html)
    assert "3 instances" in text
    assert 'href="/api/v1/challenges/translation/instances.jsonl"' in html
    assert not any(reference in text for expected in EXPECTED.values() for reference in expected)
    expected = "input and expected-output"
    assert expected not in text
    assert expected in words(get(as_ann, PATH))
    change_challenge(task, user=ann, fields={"references_visibility": "public"})
    assert expected in words(get(as_ben, PATH))


def test_the_page_says_what_to_submit_without_references(
    as_ben: Client, open_task: Challenge
) -> None:
    html = get(as_ben, PATH)
    assert '"expected-output": [' in words(html)
    assert "instances.jsonl" not in html
    assert "file=@evaluation.json" in html


def test_outputs_are_previewed_and_submitted(as_ben: Client, task: Challenge) -> None:
    html = looked_at(as_ben, {"1": "hello", "2": "thanks"}, participant="atlas")
    text = words(html)
    assert "run.json is Outputs: 1 attempt" in text
    assert "atlas 2 outputs for 3 instances, 1 missing (3)" in text
    assert not Attempt.objects.exists()
    response = as_ben.post(f"{PATH}file/", hidden_fields(html))
    attempt = Attempt.objects.get()
    assert response.headers["Location"] == f"/attempts/{attempt.pk}/"
    assert attempt.instance_count == 3


def test_a_document_names_its_participant(as_ben: Client, open_task: Challenge) -> None:
    document = {"participant": "Borealis", "instances": instances(**{"1": "hello", "2": None})}
    text = words(looked_at(as_ben, document))
    assert "HarpIA Lab: 1 attempt" in text
    assert "Borealis 3 instances, 2 without" in text


def test_a_file_without_a_participant_asks_for_one_and_is_kept(
    as_ben: Client, task: Challenge
) -> None:
    html = looked_at(as_ben, {"1": "hello"}, status=422)
    assert 'id="id_file_participant_error"' in html
    assert re.search(r'<input[^>]* autofocus[^>]* id="id_file_participant"', html)
    assert html.count("autofocus") == 1
    (again,) = re.findall(r'name="again" value="([^"]*)"', html)
    kept = {"again": again, "participant": "atlas"}
    response = as_ben.post(f"{PATH}file/", kept)
    assert "1 output for 3 instances, 2 missing (2, 3)" in words(response.content.decode())
    assert 'class="optional"' in html
    html = as_ben.post(f"{PATH}file/", {**kept, "format": "harpia"}).content.decode()
    assert "instances: is required" in words(html)
    assert 'name="again"' not in html, "a wrong file must be chosen again"


def test_a_user_with_one_participant_need_not_name_it(
    as_ben: Client, task: Challenge, ben: User
) -> None:
    participant_named(challenge=task, handle="atlas", user=ben, organiser=False)
    assert 'name="participant" value="atlas"' in get(as_ben, PATH)
    participant_named(challenge=task, handle="borealis", user=ben, organiser=False)
    assert 'name="participant" value="atlas"' not in get(as_ben, PATH)


def test_every_wrong_line_is_reported(as_ben: Client, task: Challenge) -> None:
    rows = [{"id": 1, "actual-output": 1}, {"id": 2, "actual-output": "a"}, {"id": 3}]
    html = looked_at(as_ben, "\n".join(map(json.dumps, rows)).encode(), 422, participant="atlas")
    text = words(html)
    assert "line 1, actual-output: must" in text
    assert "line 3, actual-output: is required" in text
    assert html.count("<li>run.json, line") == 2
    unknown = dict.fromkeys(map(str, range(99)), "a")
    assert "And 86 more." in words(looked_at(as_ben, unknown, 422, participant="atlas"))
