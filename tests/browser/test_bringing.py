"""Uploading a file on a challenge's page in a real browser, and the errors of it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Route, expect

from leaderboard.models import Challenge
from tests.browser.files import drop, upload
from tests.browser.verses import Verses
from tests.browser.visitor import Visitor
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER


def test_the_drop_zone_shows_what_is_dragged_over_it(visitor: Visitor, verses: Verses) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/verses/submit/")
    drop = page.locator(".drop")
    drop.locator("input").dispatch_event("dragenter")
    expect(drop).to_have_class("field drop over")
    drop.locator("input").dispatch_event("dragleave")
    expect(drop).to_have_class("field drop")
    page.locator("#id_file_participant").focus()
    page.keyboard.press("Tab")
    expect(drop.locator("input")).to_be_focused()


def test_errors_outside_the_application_are_shown(visitor: Visitor, verses: Verses) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/verses/submit/")
    alert = page.locator("form.files [role=alert]:visible")
    expect(alert).to_have_count(0)
    page.locator("input[type=file]").evaluate("input => (input.dataset.most = 10)")
    upload(page, {"short": "Hello"})
    expect(alert).to_contain_text("64 MiB; got more")
    visitor.look()
    drop(page, "pyproject.toml", "Makefile")
    expect(alert).to_contain_text("One file")
    assert visitor.complaints == []
    page.route("**/submit/file/", lambda route: route.fulfill(status=413, body="Too large"))
    page.locator("input[type=file]").evaluate("input => (input.dataset.most = 1e9)")
    upload(page, {"short": "Hello"})
    expect(alert).to_contain_text("did not arrive")
    visitor.complaints.clear()  # Chromium reports the refused request


def test_a_dropped_file_is_previewed(visitor: Visitor, verses: Verses) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/verses/submit/")
    drop(page, "Makefile")
    expect(page.get_by_text("Makefile, line 1: must begin with a header")).to_be_visible()


@pytest.mark.parametrize("ended", ["session", "challenge"])
def test_a_file_dropped_too_late_is_reported(visitor: Visitor, verses: Verses, ended: str) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/verses/submit/")
    if ended == "session":
        page.context.clear_cookies(name="sessionid")
    else:
        Challenge.objects.filter(pk=verses.open.pk).update(is_active=False)
    upload(page, {"short": "Hello"})
    if ended == "session":
        expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
        expect(page).to_have_url(re.compile(r"/sign-in/\?next=/c/verses/submit/file/$"))
    else:
        expect(page.get_by_text("no attempts any more")).to_be_visible()


def test_the_last_chosen_of_two_files_counts(visitor: Visitor, verses: Verses) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/verses/submit/")
    page.locator("#id_file_participant").fill("Cirrus")
    held: list[Route] = []
    page.route("**/submit/file/", lambda route: route.continue_() if held else held.append(route))
    upload(page, {"short": "Hello"}, "first.json")
    expect(page.get_by_text("Reading the file…")).to_be_visible()
    upload(page, {"short": "Hello"}, "second.json")
    expect(page.get_by_text("second.json is Outputs")).to_be_visible()
    assert len(held) == 1
    visitor.complaints.clear()  # htmx reports the request that it gave up


def test_what_is_typed_while_a_file_is_read_stays(visitor: Visitor, verses: Verses) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/verses/submit/")
    held: list[Route] = []
    page.route("**/submit/file/", lambda route: route.continue_() if held else held.append(route))
    upload(page, {"short": "Hello"})
    expect(page.get_by_text("Reading the file…")).to_be_visible()
    page.locator("#id_file_participant").fill("Cirrus")
    page.locator("#id_file_format").select_option(label="Outputs")
    held[0].continue_()
    expect(page.get_by_text("does not say whose")).to_be_visible()
    expect(page.locator("#id_file_participant")).to_have_value("Cirrus")
    expect(page.locator("#id_file_format option:checked")).to_have_text("Outputs")
    page.get_by_role("button", name="Look at it first").click()
    expect(page.get_by_text("run.json is Outputs")).to_be_visible()
