"""Uploading result files on a page: they are previewed first, and then imported."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import Attempt, Challenge, Evidence, User
from leaderboard.pages.submit import file_form
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.imports import contents
from tests.pages.conftest import Make
from tests.pages.reading import get, hidden_fields, words

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]

PATH = "/c/solve/submit/file/"


@pytest.fixture
def solve(make: Make) -> Challenge:
    return make("Solve", "metric", metrics=["pass_rate"], rank_by=[{"key": "pass_rate"}])


def lines(*attempts: dict[str, Any]) -> SimpleUploadedFile:
    text = "\n".join(json.dumps(entry) for entry in attempts)
    return SimpleUploadedFile("results.jsonl", text.encode())


def attempt(participant: str, *rewards: float | None) -> dict[str, Any]:
    return {"participant": participant, "task_rewards": {"lock": list(rewards)}}


def looked_at(client: Client, file: SimpleUploadedFile, **fields: str) -> str:
    response = client.post(PATH, {"file": file, **fields})
    assert response.status_code == 200, words(response.content.decode())
    return response.content.decode()


def test_a_file_is_previewed_and_then_imported(as_ben: Client, solve: Challenge, ben: User) -> None:
    file = [attempt("atlas", 1.0, None), attempt("borealis", 1.0)]
    html = looked_at(as_ben, lines(*file))
    text = words(html)
    assert "JSON lines: 2 attempts" in text
    assert "atlas 1 2 1 pass_rate 0.500" in text
    assert "borealis 1 1 0 pass_rate 1.000" in text
    assert not Attempt.objects.exists()
    response = as_ben.post(PATH, hidden_fields(html))
    assert response.headers["Location"] == "/c/solve/"
    handles = {imported.participant.handle for imported in Attempt.objects.all()}
    assert handles == {"atlas", "borealis"}
    assert {imported.submitted_by for imported in Attempt.objects.all()} == {ben}
    assert not list(Path(settings.MEDIA_ROOT, "previews").iterdir())
    text = words(looked_at(as_ben, lines(*file)))
    assert "atlas here already" in text


def test_attempts_of_files_count_for_the_throttle(
    as_ben: Client, solve: Challenge, settings: Any
) -> None:
    settings.THROTTLE_BULK = "2/day"
    for who in ("atlas", "boreas", "cirrus"):
        fields = hidden_fields(looked_at(as_ben, lines(attempt(who, 1.0))))
        response = as_ben.post(PATH, fields)
        if who != "cirrus":
            assert response.status_code == 302
    assert (response.status_code, response.has_header("Retry-After")) == (429, True)
    assert "2/day" in words(response.content.decode())
    assert solve.attempts.count() == 2


def test_a_single_attempt_is_opened_and_may_be_of_another_participant(
    as_ben: Client, solve: Challenge
) -> None:
    for reward, before, after in (
        (1.0, {"participant": "Borealis"}, {}),
        (0.0, {}, {"participant": "Cirrus"}),
    ):
        html = looked_at(as_ben, lines(attempt("atlas", reward)), **before)
        response = as_ben.post(PATH, {**hidden_fields(html), **after})
        made = Attempt.objects.latest("pk")
        assert response.headers["Location"] == f"/attempts/{made.pk}/"
        assert made.participant.handle == next(iter((before | after).values()))


def test_errors_of_a_file_are_shown(
    as_ben: Client, solve: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_form, "MAX_FILE_BYTES", 2 << 20)
    for content, message in (
        (b"what is this", "known format"),
        (b'{"participant": "a", "metrics": {"rating": 11}}', "rating"),
        (b"", "not empty"),
        (b" " * ((2 << 20) + 1), "2 MiB; got more"),
    ):
        for headers, status in (({}, 422), ({"HX-Request": "true"}, 200)):
            file = SimpleUploadedFile("results.jsonl", content)
            response = as_ben.post(PATH, {"file": file}, headers=headers)
            assert response.status_code == status, "htmx replaces nothing unless it is 200"
            html = response.content.decode()
            assert message in words(html)
            assert 'id="id_file_file_error"' in html
            assert 'name="again"' not in html, "it has to be chosen again"
    assert not Attempt.objects.exists()


def test_after_a_refused_name_the_file_can_be_previewed_again(
    as_ben: Client, as_zoe: Client, solve: Challenge
) -> None:
    as_zoe.post(PATH, hidden_fields(looked_at(as_zoe, lines(attempt("zephyr", 1.0)))))
    file = lines(attempt("atlas", 0.0))
    response = as_ben.post(PATH, {"file": file, "participant": "zephyr"})
    html = response.content.decode()
    assert response.status_code == 422
    assert 'id="id_file_participant_error"' in html
    assert "results.jsonl" in words(html)
    (again,) = re.findall(r'name="again" value="([^"]*)"', html)
    assert "required" not in re.findall('<input type="file"[^>]*>', html)[0]
    response = as_ben.post(PATH, {"again": again, "participant": "Borealis"})
    as_ben.post(PATH, hidden_fields(response.content.decode()))
    assert Attempt.objects.filter(participant__handle="Borealis").count() == 1


def test_only_a_kept_file_of_ones_own_is_imported(
    as_ben: Client, as_zoe: Client, solve: Challenge
) -> None:
    html = looked_at(as_ben, lines(attempt("atlas", 1.0)))
    invented = {"kept": "../../secret_key", "participant": "", "format": ""}
    for client, form in ((as_zoe, hidden_fields(html)), (as_ben, invented)):
        assert client.post(PATH, form).status_code == 422
    for kept in Path(settings.MEDIA_ROOT, "previews").iterdir():
        kept.unlink()
    assert as_ben.post(PATH, hidden_fields(html)).status_code == 422
    assert not Attempt.objects.exists()


def test_importing_needs_a_signed_in_user(client: Client, solve: Challenge) -> None:
    assert client.get(PATH).headers["Location"] == f"/sign-in/?next={PATH}"


def test_importing_has_its_own_page(as_ben: Client, solve: Challenge, ann: User) -> None:
    for path in (PATH, "/c/solve/submit/"):
        assert 'name="file"' in get(as_ben, path)
    change_challenge(solve, user=ann, fields={"is_active": False})
    assert 'name="file"' not in get(as_ben, PATH)


TABLE = b"Model,Acc (%),Votes,Org\nAlpha,86.4,12,A\nBeta,71.2,7,B\n"


def posted(html: str, **changed: str) -> dict[str, Any]:
    """Return what the form below a table's preview would post, with some columns changed."""
    chosen = re.findall(r'<option value="([^"=]*)=([^"]*)" selected>', html)
    uses = {label: changed.get(label, use) for label, use in chosen}
    return {**hidden_fields(html), "map": [f"{label}={use}" for label, use in uses.items()]}


def table() -> SimpleUploadedFile:
    return SimpleUploadedFile("table.csv", TABLE)


def test_the_uses_of_columns_are_previewed_and_changed(as_ben: Client, solve: Challenge) -> None:
    html = looked_at(as_ben, table())
    assert "Table by columns: 2 attempts" in words(html)
    for use in ('"Model=participant" selected', '"Acc (%)=value:Acc" selected', '"Org=ignore"'):
        assert f"<option value={use}>" in html
    assert "Alpha Acc (%) 86.4 reported" in words(html)
    assert 'name="show_columns"' not in html, "only organisers change the board"
    form = posted(html, Model="meta", Org="participant", Votes="ignore")
    response = as_ben.post(PATH, {**form, "again": form["kept"]})
    assert response.status_code == 200
    html = response.content.decode()
    assert '<option value="Org=participant" selected>' in html
    assert "A Acc (%) 86.4 reported" in words(html)
    assert not Attempt.objects.exists()
    as_ben.post(PATH, posted(html))
    assert {imported.participant.handle for imported in Attempt.objects.all()} == {"A", "B"}
    assert {tuple(imported.values) for imported in Attempt.objects.all()} == {("Acc",)}


def test_a_refused_table_can_be_mapped(as_ben: Client, solve: Challenge) -> None:
    file = SimpleUploadedFile("table.csv", b"acc,votes\n0.5,3\n0.25,2\n")
    response = as_ben.post(PATH, {"file": file, "format": "table"})
    html = response.content.decode()
    assert response.status_code == 422
    assert "COLUMN=participant" in words(html)
    (again,) = re.findall(r'name="again" value="([^"]*)"', html)
    entries = ["acc=value", "votes=participant"]
    response = as_ben.post(PATH, {"again": again, "map": entries, "format": "table"})
    assert response.status_code == 200
    assert "3 acc 0.5 reported" in words(response.content.decode())


def test_a_new_file_does_not_have_the_mapping_of_the_previous_one(
    as_ben: Client, solve: Challenge
) -> None:
    again = hidden_fields(looked_at(as_ben, table()))["kept"]
    file = SimpleUploadedFile("other.csv", b"name,f1\nx,1\n")
    response = as_ben.post(PATH, {"again": again, "file": file, "map": ["Org=participant"]})
    assert response.status_code == 200
    assert "x f1 1 reported" in words(response.content.decode())


def test_an_organiser_may_show_the_values_on_the_board(as_ann: Client, solve: Challenge) -> None:
    html = looked_at(as_ann, table())
    assert 'name="show_columns"' in html
    as_ann.post(PATH, {**posted(html), "show_columns": "1"})
    solve.refresh_from_db()
    assert [(column["key"], column["label"]) for column in solve.columns] == [
        ("Acc", "Acc (%)"),
        ("Votes", "Votes"),
    ]


SAMPLES = b"model,question,correct\na,q1,1\na,q2,0\nb,q1,null\n"
LINES = json.dumps(attempt("atlas", 1.0, None)).encode()


@pytest.mark.parametrize(
    ("content", "name", "rewards"),
    [
        (TABLE, "table.csv", None),
        (SAMPLES, "table.csv", [{"correct": 1.0}, {"correct": 0.0}]),
        (SAMPLES.replace(b"model", b"participant"), "table.csv", None),
        (LINES, "results.jsonl", [{"reward": 1.0}, None]),
    ],
)
def test_a_file_is_read_once_for_its_preview_and_its_import(
    as_ben: Client,
    solve: Challenge,
    monkeypatch: pytest.MonkeyPatch,
    content: bytes,
    name: str,
    rewards: list[dict[str, float] | None] | None,
) -> None:
    def read_again(*args: Any, **options: Any) -> None:
        raise AssertionError("the file was read again")

    form = posted(looked_at(as_ben, SimpleUploadedFile(name, content)))
    monkeypatch.setattr(contents, "read", read_again)
    assert as_ben.post(PATH, form).status_code == 302
    assert Attempt.objects.exists()
    if rewards:
        first = Evidence.objects.order_by("pk").first()
        assert first is not None
        assert [sample.rewards for sample in first.read()] == rewards
