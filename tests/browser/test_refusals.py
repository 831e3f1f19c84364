"""What a page says where the server refuses what a script of it asked for."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect

from tests.browser.organisers.test_rules_form import PAGE, plan
from tests.browser.visitor import PHONE, Visitor
from tests.helpers.marks import IN_A_BROWSER

__all__ = ["plan"]

pytestmark = IN_A_BROWSER
TEXT = "This is not up to date"


@pytest.mark.usefixtures("verses")
def test_a_board_says_that_it_was_not_searched_or_sorted(visitor: Visitor) -> None:
    page = visitor.page
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    visitor.open("/c/verses/")
    answers = [503, 0]

    def answer(route: Route) -> None:
        status = answers.pop(0)
        route.fulfill(status=status, body="") if status else route.abort()

    page.route("**/c/verses/?q=*", answer)
    for text in ("atl", "atla"):
        page.locator("#q").fill(text)
        expect(page.get_by_text(TEXT)).to_be_visible()
        expect(page.locator(".htmx-request")).to_have_count(0)
        expect(page.get_by_role("link", name="Borealis").first).to_be_visible()
    visitor.look()
    visitor.look_in_dark()
    assert answers == []
    page.unroute("**/c/verses/?q=*")
    page.locator("#q").fill("atlas")
    expect(page.get_by_role("link", name="Borealis")).to_have_count(0)
    expect(page.get_by_text(TEXT)).to_have_count(0)

    visitor.open("/c/verses/")
    page.route("**/c/verses/?sort=*", lambda route: route.fulfill(status=503, body="The reason"))
    page.get_by_role("columnheader").get_by_role("link").first.click()
    expect(page.get_by_text("The reason")).to_be_visible()
    visitor.complaints.clear()  # Chromium reports the refused requests


@pytest.mark.usefixtures("plan")
def test_a_form_keeps_its_parts_after_the_end_of_the_session(visitor: Visitor) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open(PAGE)
    page.context.clear_cookies(name="sessionid")
    page.get_by_label("Goal").fill("The fastest wins.")
    page.get_by_label("Goal").press("Tab")
    expect(page.get_by_text(TEXT)).to_be_visible()
    expect(page.locator("#preview th", has_text="solved")).to_be_visible()
    expect(page.locator("#settings")).to_have_count(1)
    expect(page.get_by_label("Goal")).to_have_value("The fastest wins.")
