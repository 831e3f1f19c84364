"""An uploaded file that belongs to a challenge which cannot be saved immediately."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.forms import reference_fields
from leaderboard.models import Challenge, Tenant
from leaderboard.services.challenges.references import stored_count
from leaderboard.services.imports.uploads import REFERENCES
from tests.admin.pages import form_of, messages_of, saved, typed, url
from tests.admin.preparing import ADD, Inputs, finish, post_of, state_of
from tests.metric_scripts import SEVENS, Gate
from tests.services.evaluation.text import shared_task

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("scripts_dir", "media")]

EXPECTED = b"id,expected-output\n1,gold\n2,golden\n"


def chosen(content: bytes = EXPECTED, name: str = "expected.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def kept_files() -> list[Path]:
    return sorted(REFERENCES.folder.glob("*"))


@pytest.fixture
def media(scripts_dir: Path, settings: Any) -> None:
    settings.MEDIA_ROOT = scripts_dir / "uploads"


def sent_with_a_file(client: Client) -> Any:
    """The page that waits for the script of a new challenge with a file of references."""
    return client.post(ADD, post_of(client, SEVENS, name="Sevens", references=chosen()))


def test_the_chosen_file_is_saved_with_all_typed_values(
    as_nora: Client, north: Tenant, gate: Gate
) -> None:
    page = sent_with_a_file(as_nora)
    assert "<bdi>expected.csv</bdi>" in page.content.decode()
    assert b"gold" not in page.content
    (kept,) = kept_files()
    assert kept.read_bytes() == EXPECTED
    page = as_nora.post(ADD, Inputs(page).typed)
    assert state_of(page) == "running"
    assert kept_files() == [kept], "it is not kept once more each time"
    finish(gate, SEVENS)
    answer = saved(as_nora, ADD, Inputs(page).typed)
    config = Challenge.objects.get().newest
    assert (config.number, stored_count(config)) == (1, 2)
    assert "2 instances are stored." in messages_of(answer)
    assert kept_files() == []


def test_the_file_and_the_scripts_make_one_version(
    as_nora: Client, north: Tenant, gate: Gate
) -> None:
    task = shared_task(north, None)
    path = url("challenge", "change", task.pk)
    post = post_of(as_nora, SEVENS, page=path, references=chosen())
    page = as_nora.post(path, post)
    finish(gate, SEVENS)
    saved(as_nora, path, Inputs(page).typed)
    task.refresh_from_db()
    assert (task.newest.number, stored_count(task.newest)) == (3, 2)


def test_only_its_user_can_use_a_stored_file(
    as_nora: Client, as_rita: Client, north: Tenant, gate: Gate
) -> None:
    page = sent_with_a_file(as_nora)
    finish(gate, SEVENS)
    answer = as_rita.post(ADD, Inputs(page).typed)
    assert list(form_of(answer).errors) == ["references"]
    assert "expected.csv" not in answer.content.decode()
    as_rita.post(ADD, {**Inputs(page).typed, "references_forget": "on"})
    assert len(kept_files()) == 1
    assert stored_count(Challenge.objects.get().newest) is None


def test_an_invented_name_opens_no_file(as_nora: Client, north: Tenant, scripts_dir: Path) -> None:
    (scripts_dir / "secret.csv").write_bytes(EXPECTED)
    for token in ("../secret.csv", str(scripts_dir / "secret.csv"), "x"):
        post = {**post_of(as_nora, name="Plain"), "references_kept": token}
        assert list(form_of(as_nora.post(ADD, post)).errors) == ["references"]


def test_a_deleted_file_must_be_chosen_again(as_nora: Client, north: Tenant, gate: Gate) -> None:
    page = sent_with_a_file(as_nora)
    finish(gate, SEVENS)
    (kept,) = kept_files()
    kept.unlink()
    answer = as_nora.post(ADD, Inputs(page).typed)
    form = form_of(answer)
    assert list(form.errors) == ["references"]
    assert form["name"].value() == "Sevens"
    assert form.fields["references_forget"].label == "Do without the file"
    assert not Challenge.objects.exists()
    saved(as_nora, ADD, typed(answer, references=chosen()))
    assert stored_count(Challenge.objects.get().newest) == 2


def test_the_file_is_kept_when_the_user_goes_back_to_the_form(
    as_nora: Client, north: Tenant, gate: Gate
) -> None:
    page = sent_with_a_file(as_nora)
    form_page = as_nora.post(ADD, {**Inputs(page).typed, "_load": ""})
    assert "Do without expected.csv" in form_page.content.decode()
    assert len(kept_files()) == 1
    without_scripts = typed(form_page, metrics='["mean"]')
    saved(as_nora, ADD, without_scripts)
    assert stored_count(Challenge.objects.get().newest) == 2
    assert kept_files() == []
    finish(gate, SEVENS)


@pytest.mark.parametrize("other", [{"references_forget": True}, {"references": "another"}])
def test_the_file_can_be_removed_or_replaced(
    as_nora: Client, north: Tenant, gate: Gate, other: dict[str, Any]
) -> None:
    page = sent_with_a_file(as_nora)
    form_page = as_nora.post(ADD, {**Inputs(page).typed, "_load": ""})
    (kept,) = kept_files()
    given = {"references": chosen(b"id,expected-output\n1,a\n")} if "references" in other else other
    page = as_nora.post(ADD, typed(form_page, **given))
    assert kept not in kept_files()
    assert len(kept_files()) == len(given) - ("references_forget" in given)
    finish(gate, SEVENS)
    saved(as_nora, ADD, Inputs(page).typed)
    assert stored_count(Challenge.objects.get().newest) == (1 if "references" in other else None)
    assert kept_files() == []


def test_a_wrong_file_is_reported_and_can_be_replaced(
    as_nora: Client, north: Tenant, gate: Gate
) -> None:
    wrong = chosen(b"id,expected-output\n1\n", '"><b>.csv')
    page = as_nora.post(ADD, post_of(as_nora, SEVENS, name="Sevens", references=wrong))
    finish(gate, SEVENS)
    answer = as_nora.post(ADD, Inputs(page).typed)
    assert "line 2:" in form_of(answer).errors["references"][0]
    assert '"><b>' not in answer.content.decode()
    saved(as_nora, ADD, typed(answer, references=chosen()))
    assert stored_count(Challenge.objects.get().newest) == 2
    assert kept_files() == []


@pytest.mark.parametrize("wrong", [{"name": ""}, {"text_metrics": '["NOPE"]'}, {"_load": ""}])
def test_the_file_is_kept_when_other_fields_have_errors(
    as_nora: Client, north: Tenant, wrong: dict[str, str]
) -> None:
    given = {"name": "Plain", "text_metrics": '["F1"]'} | wrong
    answer = as_nora.post(ADD, post_of(as_nora, **given) | {"references": chosen()})
    assert "Do without expected.csv" in answer.content.decode()
    answer = as_nora.post(ADD, typed(answer, text_metrics='["NOPE"]', name="Plain"))
    assert "Do without expected.csv" in answer.content.decode()
    assert len(kept_files()) == 1
    saved(as_nora, ADD, typed(answer, text_metrics='["F1"]'))
    assert stored_count(Challenge.objects.get().newest) == 2
    assert kept_files() == []


def test_a_wrong_or_too_large_file_is_not_stored(
    as_nora: Client, north: Tenant, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = chosen(b"id,expected-output\n1\n")
    answer = as_nora.post(ADD, post_of(as_nora, name="Plain", references=wrong))
    assert "line 2:" in form_of(answer).errors["references"][0]
    assert "Do without" not in answer.content.decode()
    monkeypatch.setattr(reference_fields, "MAX_BYTES", 10)
    answer = sent_with_a_file(as_nora)
    assert list(form_of(answer).errors) == ["references"]
    assert kept_files() == []
    assert gate.calls == 0
