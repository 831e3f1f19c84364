"""A visitor from Germany reads pages on a narrow screen and chooses English with the keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.test_live import sprint
from tests.browser.visitor import OpenVisitor
from tests.helpers.marks import IN_A_BROWSER

__all__ = ["sprint"]

pytestmark = IN_A_BROWSER
NARROW = {"width": 320, "height": 700}
PATHS = ("/", "/c/sprint/", "/c/sprint/rules/", "/c/sprint/submit/", "/sign-in/", "/status/")


@pytest.mark.usefixtures("sprint")
def test_a_visitor_reads_german_and_chooses_english(
    open_visitor: OpenVisitor, live_server: LiveServer
) -> None:
    visitor = open_visitor()
    page = visitor.page
    page.set_extra_http_headers({"Accept-Language": "de-DE"})
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    for path in PATHS:
        visitor.open(path)
        expect(page.locator("html")).to_have_attribute("lang", "de")
        visitor.measure()
    visitor.open("/c/sprint/")
    visitor.look()
    german = page.get_by_role("button", name="Deutsch")
    expect(german).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="English").press("Enter")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page).to_have_url(f"{live_server.url}/c/sprint/#language")
    expect(german).to_have_attribute("aria-pressed", "false")
