"""An organiser changes a phase, announces it and reads the log, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from leaderboard.models import Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from tests.browser.visitor import PHONE, WIDE, Visitor
from tests.browser.world import PASSWORD
from tests.helpers.marks import IN_A_BROWSER
from tests.people import organiser_of

pytestmark = IN_A_BROWSER


@pytest.fixture
def organiser(tenant: Tenant) -> User:
    ben = organiser_of(tenant, "ben", password=PASSWORD)
    fields = {"name": "Sprint", "scoring_strategy": "fastest"}
    create_challenge(tenant=tenant, user=ben, fields=fields)
    return ben


@pytest.mark.usefixtures("organiser")
def test_a_phase_is_changed_and_announced(visitor: Visitor) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/sprint/")
    page.get_by_role("link", name="Manage").click()
    visitor.look()
    menu = page.get_by_role("navigation", name="Manage")
    menu.get_by_role("link", name="Rules").click()
    menu.get_by_role("link", name="Phases").click()
    page.get_by_role("link", name="main").click()
    page.get_by_label("Time zone").select_option("Europe/Berlin")
    page.get_by_label("Closes").fill("2100-10-31T02:30")
    page.get_by_label("Per day").fill("3")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("has this time twice")).to_be_visible()
    assert "422" in visitor.complaints.pop()  # Chromium reports the answer to a wrong form
    visitor.look()
    page.get_by_label("Which of the two times it closes").select_option("+01:00")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("31 Oct 2100, 02:30 Europe/Berlin")).to_be_visible()
    visitor.look()

    menu.get_by_role("link", name="Publish").click()
    page.get_by_role("link", name="Announcements").click()
    page.get_by_label("Title").fill("It ends in October")
    page.get_by_label("Text").fill("On the **last** day.")
    page.get_by_role("button", name="Announce").click()
    expect(page.get_by_text("The announcement is saved.")).to_be_visible()
    visitor.look()
    visitor.open("/c/sprint/")
    expect(page.locator(".announcement strong")).to_have_text("last")
    visitor.look()

    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    for name in ("", "phases/?phase=main", "announcements/", "extra/", "log/"):
        visitor.open(f"/c/sprint/manage/{name}")
        visitor.look()


@pytest.mark.usefixtures("organiser")
def test_the_menu_has_five_groups_and_shows_the_pages_of_one(visitor: Visitor) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/sprint/manage/phases/")
    menu = page.get_by_role("navigation", name="Manage")
    for window in (WIDE, PHONE):
        page.set_viewport_size(window)  # type: ignore[arg-type]
        expect(menu.locator(".groups a")).to_have_count(5)
        assert (
            len(set(menu.locator(".groups a").evaluate_all("a => a.map(each => each.offsetTop)")))
            == 1
        )
        expect(menu.get_by_role("link", name="Metrics", exact=True)).to_be_visible()
        expect(menu.get_by_role("link", name="Log")).to_have_count(0)
        visitor.look()
    menu.get_by_role("link", name="People").click()
    expect(menu.get_by_role("link", name="Extra attempts")).to_be_visible()
