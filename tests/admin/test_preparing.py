"""Saving a challenge whose metric scripts must be prepared first, without JavaScript."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Challenge, Tenant
from leaderboard.services.scripts.prepare import key_of, prepare_script, progress_of
from tests.admin.pages import form_of, messages_of, saved, typed, url
from tests.admin.preparing import ADD, Inputs, finish, metrics, post_of, state_of, wait_for
from tests.metric_scripts import COUNT, SEVENS, Gate, header, only_from, wheel_of_sevens
from tests.processes import eventually

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("scripts_dir")]


def test_the_page_shows_the_progress_and_then_saves(
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

    eventually(lambda: "At the gate" in progress_of(key_of(SEVENS)).messages)
    page = as_nora.post(ADD, Inputs(page).typed)
    assert state_of(page) == "running"
    assert b"At the gate" in page.content
    assert not Challenge.objects.exists()

    finish(gate, SEVENS)
    answer = as_nora.post(ADD, Inputs(page).typed)
    challenge = Challenge.objects.get()
    assert answer.headers["Location"] == url("challenge", "change", challenge.pk)
    assert (challenge.name, challenge.newest.number) == ("Sevens & Co", 1)
    assert challenge.description == post["description"].strip()
    assert challenge.newest.metrics == json.loads(metrics(SEVENS))
    (installed, _) = messages_of(answer)
    assert "own 0: " in installed
    assert "sevens==1.0" in installed
    content = as_nora.get(answer.headers["Location"]).content.decode()
    assert re.search("prepared: .* sevens==1.0", content)
    assert gate.calls == 1


def test_a_changed_challenge_waits_as_well(as_nora: Client, sprint: Challenge, gate: Gate) -> None:
    path = url("challenge", "change", sprint.pk)
    page = as_nora.post(path, post_of(as_nora, COUNT, SEVENS, page=path, summary="Anew"))
    assert state_of(page) == "running"
    assert [script.progress.state for script in page.context["scripts"]] == ["running", "running"]
    sprint.refresh_from_db()
    assert (sprint.summary, sprint.newest.number) == ("", 1)
    finish(gate, COUNT, SEVENS)
    saved(as_nora, path, Inputs(page).typed)
    sprint.refresh_from_db()
    assert (sprint.summary, sprint.newest.number) == ("Anew", 2)
    content = as_nora.get(path).content.decode()
    assert "<code>own 0</code> prepared:" in content
    assert re.search("<code>own 1</code> prepared: .* sevens==1.0", content)


def test_only_the_changing_part_of_the_page_is_reloaded(
    as_nora: Client, north: Tenant, gate: Gate
) -> None:
    page = as_nora.post(ADD, post_of(as_nora, SEVENS, name="Sevens"))
    (script,) = page.context["scripts"]
    asked = {"script": script.key, "name": script.name}
    path = url("challenge", "preparing")
    eventually(lambda: b"At the gate" in as_nora.post(path, asked).content)
    piece = as_nora.post(path, asked).content.decode()
    assert 'data-hx-trigger="every 1s"' in piece
    assert "<html" not in piece
    assert "data-done" not in piece
    finish(gate, SEVENS)
    piece = as_nora.post(path, asked).content.decode()
    assert " + sevens==1.0" in piece
    assert "data-done" in piece
    assert "data-hx-trigger" not in piece
    assert not Challenge.objects.exists()


def test_a_user_who_organises_nothing_sees_no_progress(as_paul: Client, as_nora: Client) -> None:
    path = url("challenge", "preparing")
    assert as_paul.post(path, {"script": "0" * 64, "name": "x"}).status_code == 403
    assert Client().post(path).status_code == 302
    assert as_nora.get(path).status_code == 405


def test_after_a_refusal_the_form_has_all_typed_values(
    as_nora: Client, north: Tenant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_from(tmp_path, monkeypatch)
    post = post_of(as_nora, SEVENS, name="Sevens", goal="Seven")
    page = as_nora.post(ADD, post)
    wait_for(SEVENS)
    (script,) = page.context["scripts"]
    piece = as_nora.post(url("challenge", "preparing"), {"script": script.key, "name": "own 0"})
    assert b"data-done" in piece.content
    (button,) = Inputs(piece).buttons
    assert "name" not in button, "so that the reason is said"
    answer = as_nora.post(ADD, Inputs(page).typed)
    form = form_of(answer)
    (error,) = form.errors["metrics"]
    assert error.startswith("metrics.1.kwargs.script: error:")
    assert (form["name"].value(), form["goal"].value()) == ("Sevens", "Seven")
    assert not Challenge.objects.exists()

    wheel_of_sevens(tmp_path, monkeypatch)
    page = as_nora.post(ADD, post)
    wait_for(SEVENS)
    saved(as_nora, ADD, Inputs(page).typed)
    assert Challenge.objects.get().name == "Sevens"


def test_the_user_can_go_back_to_the_form(as_nora: Client, north: Tenant, gate: Gate) -> None:
    page = as_nora.post(ADD, post_of(as_nora, SEVENS, name="Sevens"))
    back = next(button for button in Inputs(page).buttons if button.get("name"))
    form = form_of(as_nora.post(ADD, {**Inputs(page).typed, str(back["name"]): ""}))
    assert form["name"].value() == "Sevens"
    assert json.loads(form["metrics"].value()) == json.loads(metrics(SEVENS))
    assert not form.errors
    assert not Challenge.objects.exists()
    finish(gate, SEVENS)


def test_an_abandoned_preparation_is_reported_and_started_again(
    as_nora: Client, north: Tenant, gate: Gate
) -> None:
    asked = {"script": key_of(SEVENS), "name": "own 0"}
    piece = as_nora.post(url("challenge", "preparing"), asked)
    assert state_of(piece) == "abandoned"
    assert b"Begin again" in piece.content
    assert b"data-hx-trigger" not in piece.content
    again = {**post_of(as_nora, SEVENS, name="Sevens"), "_watched": "1"}
    assert state_of(as_nora.post(ADD, again)) == "running"
    finish(gate, SEVENS)


def test_prepared_scripts_are_saved_in_one_step(as_nora: Client, north: Tenant) -> None:
    prepare_script(COUNT)
    answer = saved(as_nora, ADD, post_of(as_nora, COUNT, name="Counts"))
    assert any("own 0:" in message for message in messages_of(answer))
    path = url("challenge", "change", Challenge.objects.get().pk)
    answer = saved(as_nora, path, typed(as_nora.get(path), summary="Counts"))
    assert not any("own 0" in message for message in messages_of(answer)), "nothing is new of them"


def test_a_change_unrelated_to_scoring_does_not_wait(
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


def test_missing_scripts_are_reported(as_nora: Client, north: Tenant, settings: Any) -> None:
    prepared = prepare_script(COUNT)
    saved(as_nora, ADD, post_of(as_nora, COUNT, name="Counts"))
    path = url("challenge", "change", Challenge.objects.get().pk)
    prepared.folder.rename(prepared.folder.with_name("elsewhere"))
    assert "<code>own 0</code> not prepared" in as_nora.get(path).content.decode()
    settings.METRIC_SCRIPTS = False
    assert "turned off" in as_nora.get(path).content.decode()


def test_errors_are_reported_before_any_preparation(
    as_nora: Client, north: Tenant, gate: Gate
) -> None:
    wrong = json.dumps(["mean", {"type": "uv-script", "kwargs": {"script": 1}}])
    for field, value in (
        ("name", ""),
        ("metrics", wrong),
        ("metrics", metrics(SEVENS, header("x = 1"))),
    ):
        post = post_of(as_nora, SEVENS, **{"name": "Sevens", field: value})
        assert list(form_of(as_nora.post(ADD, post)).errors) == [field]
        assert progress_of(key_of(SEVENS)).state == "abandoned"
    assert gate.calls == 0


def test_disabled_scripts_are_reported_in_one_step(
    as_nora: Client, north: Tenant, settings: Any
) -> None:
    settings.METRIC_SCRIPTS = False
    answer = as_nora.post(ADD, post_of(as_nora, COUNT, name="Counts"))
    (error,) = form_of(answer).errors["metrics"]
    assert "METRIC_SCRIPTS=on" in error
