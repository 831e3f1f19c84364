"""Saving a challenge whose metric scripts have to be prepared first, without JavaScript."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.admin import text_fields
from leaderboard.models import Challenge, Tenant
from leaderboard.services.preparing import key_of, prepare_script, progress_of
from leaderboard.services.references import held_count
from leaderboard.services.uploads import REFERENCES
from tests.admin.pages import form_of, messages_of, saved, typed, url
from tests.metric_scripts import COUNT, SEVENS, Gate, header, only_from, wheel_of_sevens
from tests.processes import eventually
from tests.services.text import shared_task

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("scripts_dir")]

ADD = url("challenge", "add")
EXPECTED = b"id,expected-output\n1,gold\n2,golden\n"


class Inputs(HTMLParser):
    """The hidden fields of the form that posts what was typed, and the buttons of the page."""

    def __init__(self, response: Any) -> None:
        super().__init__()
        self.typed: dict[str, str] = {}
        self.buttons: list[dict[str, str | None]] = []
        self._form: str | None = None
        self.feed(response.content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "form":
            self._form = found.get("id")
        elif tag == "button" and found.get("form") == "save":
            self.buttons.append(found)
        elif tag == "input" and self._form == "save":
            self.typed[str(found["name"])] = found["value"] or ""


@pytest.fixture
def gate(scripts_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    wheel_of_sevens(tmp_path, monkeypatch)
    return Gate(scripts_dir, monkeypatch)


def metrics(*texts: str) -> str:
    scripts = [
        {"type": "uv-script", "name": f"own {number}", "kwargs": {"script": text}}
        for number, text in enumerate(texts)
    ]
    return json.dumps(["mean", *scripts])


def post_of(client: Client, *texts: str, page: str = ADD, **changes: Any) -> dict[str, Any]:
    given = {"scoring_strategy": "metric", "metrics": metrics(*texts), "rank_by__0__key": "mean"}
    return typed(client.get(page), **{**given, **changes})


def wait_for(text: str) -> None:
    eventually(lambda: progress_of(key_of(text)).state != "running")


def state_of(response: Any) -> str:
    state: str = response.context["state"]
    return state


def test_the_page_shows_what_is_done_and_then_saves(
    as_nora: Client, north: Tenant, gate: Gate
) -> None:
    post = post_of(
        as_nora, SEVENS, name="Sevens & Co", description='Said "so"\r\nand <b>so</b>\r\n'
    )
    page = as_nora.post(ADD, {**post, "_continue": "1"})
    assert (page.status_code, state_of(page)) == (200, "running")
    content = page.content.decode()
    assert "<h1>Preparing metric scripts</h1>" in content
    assert 'aria-label="Preparing own 0"' in content
    assert not Challenge.objects.exists()

    eventually(lambda: "At the gate" in progress_of(key_of(SEVENS)).said)
    page = as_nora.post(ADD, Inputs(page).typed)
    assert state_of(page) == "running"
    assert b"At the gate" in page.content
    assert not Challenge.objects.exists()

    gate.open()
    wait_for(SEVENS)
    answer = as_nora.post(ADD, Inputs(page).typed)
    challenge = Challenge.objects.get()
    assert answer.headers["Location"] == url("challenge", "change", challenge.pk)
    assert (challenge.name, challenge.newest.number) == ("Sevens & Co", 1)
    assert challenge.description == post["description"].strip()
    assert challenge.newest.metrics == json.loads(metrics(SEVENS))
    (installed, _) = messages_of(answer)
    assert "own 0: Resolved 1 package, installed sevens==1.0" in installed
    content = as_nora.get(answer.headers["Location"]).content.decode()
    assert "prepared: Resolved 1 package, installed sevens==1.0." in content
    assert gate.calls == 1


def test_a_changed_challenge_waits_as_well(as_nora: Client, sprint: Challenge, gate: Gate) -> None:
    path = url("challenge", "change", sprint.pk)
    page = as_nora.post(path, post_of(as_nora, COUNT, SEVENS, page=path, summary="Anew"))
    assert state_of(page) == "running"
    assert [each.progress.state for each in page.context["scripts"]] == ["running", "running"]
    sprint.refresh_from_db()
    assert (sprint.summary, sprint.newest.number) == ("", 1)
    gate.open()
    wait_for(COUNT)
    wait_for(SEVENS)
    saved(as_nora, path, Inputs(page).typed)
    sprint.refresh_from_db()
    assert (sprint.summary, sprint.newest.number) == ("Anew", 2)
    content = as_nora.get(path).content.decode()
    assert "<code>own 0</code> prepared: It needs no packages." in content
    assert "<code>own 1</code> prepared: Resolved 1 package, installed sevens==1.0." in content


def test_what_changes_is_asked_for_alone(as_nora: Client, north: Tenant, gate: Gate) -> None:
    page = as_nora.post(ADD, post_of(as_nora, SEVENS, name="Sevens"))
    (script,) = page.context["scripts"]
    asked = {"script": script.key, "name": script.name}
    path = url("challenge", "preparing")
    eventually(lambda: b"At the gate" in as_nora.post(path, asked).content)
    piece = as_nora.post(path, asked).content.decode()
    assert 'hx-trigger="every 1s"' in piece
    assert "<html" not in piece
    assert "data-settled" not in piece
    gate.open()
    wait_for(SEVENS)
    piece = as_nora.post(path, asked).content.decode()
    assert " + sevens==1.0" in piece
    assert "data-settled" in piece
    assert "hx-trigger" not in piece
    assert not Challenge.objects.exists()


def test_who_organises_nothing_sees_nothing(as_paul: Client, as_nora: Client) -> None:
    path = url("challenge", "preparing")
    assert as_paul.post(path, {"script": "0" * 64, "name": "x"}).status_code == 403
    assert Client().post(path).status_code == 302
    assert as_nora.get(path).status_code == 405


def test_a_refusal_brings_the_form_back_with_all_that_was_typed(
    as_nora: Client, north: Tenant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_from(tmp_path, monkeypatch)
    post = post_of(as_nora, SEVENS, name="Sevens", goal="Seven")
    page = as_nora.post(ADD, post)
    wait_for(SEVENS)
    (script,) = page.context["scripts"]
    piece = as_nora.post(url("challenge", "preparing"), {"script": script.key, "name": "own 0"})
    assert b"data-settled" in piece.content
    (button,) = Inputs(piece).buttons
    assert "name" not in button, "so that the reason is said"
    answer = as_nora.post(ADD, Inputs(page).typed)
    form = form_of(answer)
    (error,) = form.errors["metrics"]
    assert error.startswith("metrics.1.kwargs.script: error: No solution found")
    assert (form["name"].value(), form["goal"].value()) == ("Sevens", "Seven")
    assert not Challenge.objects.exists()

    wheel_of_sevens(tmp_path, monkeypatch)
    page = as_nora.post(ADD, post)
    wait_for(SEVENS)
    saved(as_nora, ADD, Inputs(page).typed)
    assert Challenge.objects.get().name == "Sevens"


def test_one_may_go_back_to_the_form(as_nora: Client, north: Tenant, gate: Gate) -> None:
    page = as_nora.post(ADD, post_of(as_nora, SEVENS, name="Sevens"))
    back = next(button for button in Inputs(page).buttons if button.get("name"))
    form = form_of(as_nora.post(ADD, {**Inputs(page).typed, str(back["name"]): ""}))
    assert form["name"].value() == "Sevens"
    assert json.loads(form["metrics"].value()) == json.loads(metrics(SEVENS))
    assert not form.errors
    assert not Challenge.objects.exists()
    gate.open()
    wait_for(SEVENS)


def test_what_was_abandoned_is_said_and_begun_again(
    as_nora: Client, north: Tenant, gate: Gate
) -> None:
    asked = {"script": key_of(SEVENS), "name": "own 0"}
    piece = as_nora.post(url("challenge", "preparing"), asked)
    assert state_of(piece) == "abandoned"
    assert b"Begin again" in piece.content
    assert b"hx-trigger" not in piece.content
    again = {**post_of(as_nora, SEVENS, name="Sevens"), "_watched": "1"}
    assert state_of(as_nora.post(ADD, again)) == "running"
    gate.open()
    wait_for(SEVENS)


def test_prepared_scripts_are_saved_in_one_step(as_nora: Client, north: Tenant) -> None:
    prepare_script(COUNT)
    answer = saved(as_nora, ADD, post_of(as_nora, COUNT, name="Counts"))
    assert any("own 0: It needs no packages" in each for each in messages_of(answer))
    path = url("challenge", "change", Challenge.objects.get().pk)
    answer = saved(as_nora, path, typed(as_nora.get(path), summary="Counts"))
    assert not any("own 0" in each for each in messages_of(answer)), "nothing is new of them"


def test_what_does_not_concern_the_scoring_waits_for_nothing(
    as_nora: Client, north: Tenant, settings: Any
) -> None:
    prepare_script(COUNT)
    saved(as_nora, ADD, post_of(as_nora, COUNT, name="Counts"))
    settings.METRIC_SCRIPTS = False
    challenge = Challenge.objects.get()
    path = url("challenge", "change", challenge.pk)
    saved(as_nora, path, typed(as_nora.get(path), summary="Off"))
    challenge.refresh_from_db()
    assert (challenge.summary, challenge.newest.number) == ("Off", 1)


def test_scripts_that_are_gone_are_said_to_be(
    as_nora: Client, north: Tenant, settings: Any
) -> None:
    prepared = prepare_script(COUNT)
    saved(as_nora, ADD, post_of(as_nora, COUNT, name="Counts"))
    path = url("challenge", "change", Challenge.objects.get().pk)
    prepared.folder.rename(prepared.folder.with_name("elsewhere"))
    said = "<code>own 0</code> not prepared on this server."
    assert f"{said} It is prepared when it is needed." in as_nora.get(path).content.decode()
    settings.METRIC_SCRIPTS = False
    content = as_nora.get(path).content.decode()
    assert f"{said} Metric scripts are turned off" in content


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"metrics": '["mean", {"type": "uv-script", "kwargs": {"script": 1}}]'}, "metrics"),
        ({"metrics": metrics(SEVENS, header("x = 1"))}, "metrics"),
    ],
)
def test_what_is_wrong_is_said_before_anything_begins(
    as_nora: Client, north: Tenant, gate: Gate, change: dict[str, str], field: str
) -> None:
    answer = as_nora.post(ADD, post_of(as_nora, SEVENS, **{"name": "Sevens", **change}))
    assert list(form_of(answer).errors) == [field]
    assert progress_of(key_of(SEVENS)).state == "abandoned"
    assert gate.calls == 0


def test_turned_off_is_said_in_one_step(as_nora: Client, north: Tenant, settings: Any) -> None:
    settings.METRIC_SCRIPTS = False
    answer = as_nora.post(ADD, post_of(as_nora, COUNT, name="Counts"))
    (error,) = form_of(answer).errors["metrics"]
    assert "METRIC_SCRIPTS=on" in error


def chosen(content: bytes = EXPECTED, name: str = "expected.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def kept_files() -> list[Path]:
    return sorted(REFERENCES.folder.glob("*"))


@pytest.fixture
def media(scripts_dir: Path, settings: Any) -> None:
    settings.MEDIA_ROOT = scripts_dir / "uploads"


@pytest.mark.usefixtures("media")
def test_a_file_that_was_chosen_is_saved_with_all_that_was_typed(
    as_nora: Client, north: Tenant, gate: Gate
) -> None:
    page = as_nora.post(ADD, post_of(as_nora, SEVENS, name="Sevens", references=chosen()))
    assert "<bdi>expected.csv</bdi> on the server, for you alone" in page.content.decode()
    assert b"gold" not in page.content
    (kept,) = kept_files()
    assert kept.read_bytes() == EXPECTED
    page = as_nora.post(ADD, Inputs(page).typed)
    assert state_of(page) == "running"
    assert kept_files() == [kept], "it is not kept once more each time"
    gate.open()
    wait_for(SEVENS)
    answer = saved(as_nora, ADD, Inputs(page).typed)
    config = Challenge.objects.get().newest
    assert (config.number, held_count(config)) == (1, 2)
    assert "2 instances are held." in messages_of(answer)
    assert kept_files() == []


@pytest.mark.usefixtures("media")
def test_it_is_one_version_with_the_scripts(as_nora: Client, north: Tenant, gate: Gate) -> None:
    task = shared_task(north, None)
    path = url("challenge", "change", task.pk)
    post = post_of(as_nora, SEVENS, page=path, references=chosen())
    page = as_nora.post(path, post)
    gate.open()
    wait_for(SEVENS)
    saved(as_nora, path, Inputs(page).typed)
    task.refresh_from_db()
    assert (task.newest.number, held_count(task.newest)) == (3, 2)


@pytest.mark.usefixtures("media")
def test_a_kept_file_is_nobody_elses(
    as_nora: Client, as_rita: Client, north: Tenant, gate: Gate
) -> None:
    page = as_nora.post(ADD, post_of(as_nora, SEVENS, name="Sevens", references=chosen()))
    gate.open()
    wait_for(SEVENS)
    answer = as_rita.post(ADD, Inputs(page).typed)
    assert list(form_of(answer).errors) == ["references"]
    assert "expected.csv" not in answer.content.decode()
    as_rita.post(ADD, {**Inputs(page).typed, "references_forget": "on"})
    assert len(kept_files()) == 1
    assert held_count(Challenge.objects.get().newest) is None


@pytest.mark.usefixtures("media")
def test_a_made_up_name_opens_no_file(as_nora: Client, north: Tenant, scripts_dir: Path) -> None:
    (scripts_dir / "secret.csv").write_bytes(EXPECTED)
    for token in ("../secret.csv", str(scripts_dir / "secret.csv"), "x"):
        post = {**post_of(as_nora, name="Plain"), "references_kept": token}
        assert list(form_of(as_nora.post(ADD, post)).errors) == ["references"]


@pytest.mark.usefixtures("media")
def test_one_that_is_gone_has_to_be_chosen_again(
    as_nora: Client, north: Tenant, gate: Gate
) -> None:
    page = as_nora.post(ADD, post_of(as_nora, SEVENS, name="Sevens", references=chosen()))
    gate.open()
    wait_for(SEVENS)
    (kept,) = kept_files()
    kept.unlink()
    answer = as_nora.post(ADD, Inputs(page).typed)
    form = form_of(answer)
    assert "is not kept any longer" in form.errors["references"][0]
    assert form["name"].value() == "Sevens"
    assert form.fields["references_forget"].label == "Do without the file"
    assert not Challenge.objects.exists()
    saved(as_nora, ADD, typed(answer, references=chosen()))
    assert held_count(Challenge.objects.get().newest) == 2


@pytest.mark.usefixtures("media")
def test_it_is_there_when_one_comes_back_to_the_form(
    as_nora: Client, north: Tenant, gate: Gate
) -> None:
    page = as_nora.post(ADD, post_of(as_nora, SEVENS, name="Sevens", references=chosen()))
    form_page = as_nora.post(ADD, {**Inputs(page).typed, "_load": ""})
    assert "Do without expected.csv" in form_page.content.decode()
    assert len(kept_files()) == 1
    without_scripts = typed(form_page, metrics='["mean"]')
    saved(as_nora, ADD, without_scripts)
    assert held_count(Challenge.objects.get().newest) == 2
    assert kept_files() == []
    gate.open()
    wait_for(SEVENS)


@pytest.mark.parametrize("other", [{"references_forget": True}, {"references": "another"}])
@pytest.mark.usefixtures("media")
def test_one_may_do_without_it_or_choose_another(
    as_nora: Client, north: Tenant, gate: Gate, other: dict[str, Any]
) -> None:
    page = as_nora.post(ADD, post_of(as_nora, SEVENS, name="Sevens", references=chosen()))
    form_page = as_nora.post(ADD, {**Inputs(page).typed, "_load": ""})
    (kept,) = kept_files()
    given = {"references": chosen(b"id,expected-output\n1,a\n")} if "references" in other else other
    page = as_nora.post(ADD, typed(form_page, **given))
    assert kept not in kept_files()
    assert len(kept_files()) == len(given) - ("references_forget" in given)
    gate.open()
    wait_for(SEVENS)
    saved(as_nora, ADD, Inputs(page).typed)
    assert held_count(Challenge.objects.get().newest) == (1 if "references" in other else None)
    assert kept_files() == []


@pytest.mark.usefixtures("media")
def test_a_wrong_file_is_said_and_another_one_taken(
    as_nora: Client, north: Tenant, gate: Gate
) -> None:
    wrong = chosen(b"id,expected-output\n1\n", '"><b>.csv')
    page = as_nora.post(ADD, post_of(as_nora, SEVENS, name="Sevens", references=wrong))
    gate.open()
    wait_for(SEVENS)
    answer = as_nora.post(ADD, Inputs(page).typed)
    assert "line 2: has 1 cells" in form_of(answer).errors["references"][0]
    assert '"><b>' not in answer.content.decode()
    saved(as_nora, ADD, typed(answer, references=chosen()))
    assert held_count(Challenge.objects.get().newest) == 2
    assert kept_files() == []


@pytest.mark.usefixtures("media")
def test_a_file_that_is_too_large_is_not_kept(
    as_nora: Client, north: Tenant, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_fields, "MAX_BYTES", 10)
    answer = as_nora.post(ADD, post_of(as_nora, SEVENS, name="Sevens", references=chosen()))
    assert list(form_of(answer).errors) == ["references"]
    assert kept_files() == []
    assert gate.calls == 0
