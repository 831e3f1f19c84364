"""The admin in a browser: it works under the strict policy, with and without JavaScript."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from leaderboard.models import Attempt, Challenge, Tenant
from leaderboard.services.imports.uploads import REFERENCES
from leaderboard.services.scoring.rescoring import work_on
from leaderboard.services.scripts.prepare import key_of, progress_of
from tests.admin.conftest import Submit
from tests.admin.pages import url
from tests.helpers.chromium import PATIENCE_MS
from tests.metric_scripts import (
    EXAMPLE,
    SEVENS,
    Gate,
    only_from,
    prepared_or_skip,
    wheel_of_sevens,
)
from tests.plugin_files import LIMITED
from tests.processes import eventually

pytestmark = [pytest.mark.browser, pytest.mark.once, pytest.mark.django_db(transaction=True)]

Open = Callable[..., Page]


@pytest.fixture
def complaints() -> list[str]:
    """Messages of the browser's console, among them blocked styles and scripts."""
    return []


@pytest.fixture
def opened(
    chromium: Browser, live_server: Any, as_nora: Client, complaints: list[str]
) -> Iterator[Open]:
    """Open a path of the admin, signed in as nora: `opened("/admin/")`."""
    contexts = []

    def heard(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(f"{message.location}: {message.text}")

    def opened_page(path: str, **options: Any) -> Page:
        context = chromium.new_context(viewport={"width": 1280, "height": 1000}, **options)
        contexts.append(context)
        name = settings.SESSION_COOKIE_NAME
        session = as_nora.cookies[name].value
        context.add_cookies([{"name": name, "value": session, "url": live_server.url}])
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", heard)
        page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
        page.goto(live_server.url + path)
        return page

    yield opened_page
    for context in contexts:
        context.close()


@pytest.mark.journey
def test_a_challenge_is_set_up_tried_and_saved(
    opened: Open, escape: Challenge, limits: None, complaints: list[str]
) -> None:
    page = opened(url("challenge", "add"))
    page.get_by_label("Name:", exact=True).fill("Night run")
    page.get_by_label("Scorer:").fill(LIMITED)
    page.get_by_role("button", name="Load its settings").click()
    page.get_by_label("Rating Weight:").fill("15")
    page.get_by_role("button", name="Try").click()
    expect(page.get_by_role("status")).to_contain_text("Score 192.5")
    page.get_by_label("Token Penalty:").fill("-1")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".form-row.errors")).to_contain_text("0 or more")
    page.get_by_label("Token Penalty:").fill("0.02")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was added successfully")).to_be_visible()
    assert Challenge.objects.get(slug="night-run").newest.config["rating_weight"] == 15
    assert complaints == []


def test_only_the_fields_of_the_chosen_strategy_are_shown(
    opened: Open, escape: Challenge, complaints: list[str]
) -> None:
    page = opened(url("challenge", "change", escape.pk))
    expect(page.get_by_label("Scorer:")).to_be_visible()
    expect(page.get_by_role("heading", name="Ranked by")).to_be_hidden()
    page.get_by_label("Strategy:").select_option("metric")
    expect(page.get_by_label("Scorer:")).to_be_hidden()
    expect(page.get_by_role("heading", name="Ranked by")).to_be_visible()
    assert complaints == []


def test_the_progress_of_a_rescore_is_shown_until_its_end(
    opened: Open, sprint: Challenge, submit: Submit, complaints: list[str]
) -> None:
    submit(sprint, "atlas", elapsed_ms=5)
    page = opened(url("challenge", "change", sprint.pk))
    page.get_by_role("link", name="Rescore…").click()
    page.get_by_role("button", name="Rescore every attempt").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    sprint.refresh_from_db()
    work_on(sprint.newest.pk)
    expect(page.get_by_text("The board shows scoring version 2")).to_be_visible()
    assert complaints == []


def test_a_script_is_prepared_before_the_challenge_is_saved(
    opened: Open,
    scripts_dir: Path,
    north: Tenant,
    complaints: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.rmtree(prepared_or_skip(EXAMPLE).folder)  # downloaded packages stay
    gate = Gate(scripts_dir, monkeypatch)
    page = opened(url("challenge", "add"))
    fill_in(page, "Rewards", EXAMPLE)
    expect(page.get_by_role("heading", name="Preparing metric scripts")).to_be_visible()
    expect(page.get_by_role("progressbar", name="Preparing harbor")).to_be_visible()
    expect(page.get_by_text("At the gate")).to_be_visible()
    expect(page.get_by_role("button", name="Look again")).to_be_hidden()
    assert not Challenge.objects.exists()
    gate.open()
    expect(page.get_by_text("was added successfully")).to_be_visible()
    installed = page.locator(".messagelist").get_by_text("harbor: Resolved 1 package")
    expect(installed).to_contain_text("installed numpy==2.3.4")
    page.get_by_role("link", name="Rewards").first.click()
    expect(page.get_by_text("prepared: Resolved 1 package")).to_contain_text("numpy==2.3.4")
    assert Challenge.objects.get().newest.metric_specs[0].script == EXAMPLE
    assert complaints == []


@pytest.mark.parametrize("with_javascript", [True, False])
def test_a_file_is_saved_with_the_script_that_it_waits_for(
    opened: Open,
    scripts_dir: Path,
    tmp_path: Path,
    north: Tenant,
    complaints: list[str],
    monkeypatch: pytest.MonkeyPatch,
    with_javascript: bool,
) -> None:
    monkeypatch.setattr(settings, "MEDIA_ROOT", scripts_dir / "uploads")
    wheel_of_sevens(tmp_path, monkeypatch)
    gate = Gate(scripts_dir, monkeypatch)
    page = opened(url("challenge", "add"), java_script_enabled=with_javascript)
    content = b"id,expected-output\n1,gold\n2,golden\n"
    file = {"name": "expected.csv", "mimeType": "text/csv", "buffer": content}
    page.get_by_label("File with the expected outputs:").set_input_files(file)  # type: ignore[arg-type]
    fill_in(page, "Sevens", SEVENS)
    expect(page.get_by_role("heading", name="Preparing metric scripts")).to_be_visible()
    expect(page.get_by_text("expected.csv", exact=True)).to_be_visible()
    page.get_by_role("button", name="Back to the form").click()
    expect(page.get_by_label("Do without expected.csv")).not_to_be_checked()
    page.get_by_role("button", name="Save", exact=True).click()
    gate.open()
    if not with_javascript:
        eventually(lambda: progress_of(key_of(SEVENS)).state == "ready")
        page.get_by_role("button", name="Look again").click()
    expect(page.get_by_text("2 instances are stored.")).to_be_visible()
    references = Challenge.objects.get().newest.references
    assert references is not None
    assert references.instance_count == 2
    assert list(REFERENCES.folder.iterdir()) == []
    assert complaints == []


@pytest.mark.parametrize("with_javascript", [True, False])
def test_a_refused_script_is_reported_on_the_form(
    opened: Open,
    scripts_dir: Path,
    tmp_path: Path,
    north: Tenant,
    complaints: list[str],
    monkeypatch: pytest.MonkeyPatch,
    with_javascript: bool,
) -> None:
    only_from(tmp_path, monkeypatch)
    gate = Gate(scripts_dir, monkeypatch)
    page = opened(url("challenge", "add"), java_script_enabled=with_javascript)
    fill_in(page, "Rewards", EXAMPLE)
    expect(page.get_by_role("progressbar")).to_be_visible()
    gate.open()
    if not with_javascript:
        eventually(lambda: progress_of(key_of(EXAMPLE)).state == "refused")
        page.get_by_role("button", name="Look again").click()
    expect(page.locator(".field-metrics .errorlist")).to_contain_text("numpy")
    expect(page.get_by_label("Name:", exact=True)).to_have_value("Rewards")
    assert not Challenge.objects.exists()
    assert complaints == []


def fill_in(page: Page, name: str, script: str) -> None:
    """Add a challenge with a metric script `harbor`, and save it."""
    metric = {"type": "uv-script", "name": "harbor", "kwargs": {"script": script}}
    page.get_by_label("Name:", exact=True).fill(name)
    page.get_by_label("Strategy:").select_option("metric")
    page.get_by_label("Metrics:", exact=True).fill(json.dumps([metric]))
    page.get_by_label("By:", exact=True).fill("harbor:mean")
    page.get_by_role("button", name="Save", exact=True).click()


def test_an_attempt_is_withdrawn_without_javascript(
    opened: Open, sprint: Challenge, submit: Submit, complaints: list[str]
) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=5)
    page = opened(url("attempt", "change", attempt.pk), java_script_enabled=False)
    page.get_by_role("button", name="Withdraw…").click()
    page.get_by_label("Reason").fill("Copied")
    page.get_by_role("button", name="Withdraw", exact=True).click()
    expect(page.get_by_role("button", name="Restore")).to_be_visible()
    assert Attempt.objects.get().withdrawn_reason == "Copied"
    assert complaints == []


def test_no_page_violates_the_policy(
    opened: Open,
    live_server: Any,
    escape: Challenge,
    submit: Submit,
    complaints: list[str],
) -> None:
    attempt = submit(escape, "atlas", rating=8)
    rows = ["challenge", "attempt", "participant", "membership", "tenant", "apitoken"]
    paths = ["/admin/", "/admin/isolation/", "/admin/password_change/", *map(url, rows)]
    paths += [url("challenge", "change", escape.pk), url("attempt", "change", attempt.pk)]
    paths += [url("challenge", "add"), url("membership", "add")]
    page = opened(paths[0])
    for path in paths:
        page.goto(live_server.url + path)
        assert page.title().endswith("admin")
    assert complaints == []
