"""An organiser makes and copies a challenge in a real browser, with and without JavaScript."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from leaderboard.models import Challenge
from leaderboard.pages.new.kinds import KINDS
from tests.browser.visitor import PHONE, OpenVisitor, Visitor
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER
CLASS = "/new/?kind=files&template=class"


@pytest.mark.usefixtures("organiser")
def test_a_class_is_made_and_copied_by_keyboard(visitor: Visitor) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/account/")
    page.get_by_role("link", name="Make a new challenge").click()
    visitor.look()
    for kind in KINDS:
        visitor.open(f"/new/?kind={kind}")
        visitor.look()
    visitor.open(CLASS)
    page.get_by_label("Values").fill("solved\npenalty")
    page.get_by_label("Name").focus()
    expect(page.locator("#preview th", has_text="penalty")).to_be_visible()
    visitor.look()
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    visitor.look()
    page.get_by_label("Name").fill("My class")
    page.get_by_role("button", name="Make the draft").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("The challenge is made.")).to_be_visible()
    visitor.look()
    page.get_by_role("button", name="Copy this challenge").click()
    expect(page.get_by_text("This is the copy")).to_be_visible()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("The challenge is published.")).to_be_visible()
    visitor.look()
    assert [challenge.is_draft for challenge in Challenge.objects.order_by("created_at")] == [
        True,
        False,
    ]


@pytest.mark.usefixtures("organiser")
def test_the_preview_works_without_javascript(open_visitor: OpenVisitor) -> None:
    visitor = open_visitor(javascript=False)
    visitor.sign_in()
    visitor.open(CLASS)
    visitor.page.get_by_label("Values").fill("solved\npenalty")
    visitor.page.get_by_role("button", name="Show the board").click()
    expect(visitor.page.locator("#preview th", has_text="penalty")).to_be_visible()
    expect(visitor.page.get_by_label("Values")).to_have_value("solved\npenalty")
