"""An organiser changes a phase, announces it and reads the log, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from leaderboard.models import Membership, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from tests.browser.test_newcomer import sign_in
from tests.browser.visitor import PHONE, Visitor
from tests.browser.world import PASSWORD

pytestmark = [
    pytest.mark.browser,
    pytest.mark.once,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def organiser() -> User:
    tenant = Tenant.objects.create(slug="default", name="Default")
    ben = User.objects.create_user("ben", password=PASSWORD)
    Membership.objects.create(tenant=tenant, user=ben, role=Membership.Role.ORGANISER)
    fields = {"name": "Sprint", "scoring_strategy": "fastest"}
    create_challenge(tenant=tenant, user=ben, fields=fields)
    return ben


@pytest.mark.usefixtures("organiser")
def test_a_phase_is_changed_and_announced(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("/")
    sign_in(page)
    visitor.open("/c/sprint/")
    page.get_by_role("link", name="Manage").click()
    visitor.look()
    page.get_by_role("navigation", name="Manage").get_by_role("link", name="Phases").click()
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
    assert visitor.complaints == []


@pytest.mark.usefixtures("organiser")
def test_the_menu_is_one_line_on_a_phone_and_open_on_wide_windows(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("/")
    sign_in(page)
    visitor.open("/c/sprint/manage/phases/")
    menu = page.get_by_role("navigation", name="Manage")
    expect(menu.locator("summary")).to_be_hidden()
    expect(menu.get_by_role("link")).to_have_count(15)
    expect(menu.get_by_role("link", name="Log")).to_be_visible()

    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    closed = menu.bounding_box()
    assert closed is not None
    assert closed["height"] < 50
    expect(menu.get_by_role("link", name="Log")).to_be_hidden()
    menu.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(menu.get_by_role("link", name="Phases")).to_have_attribute("aria-current", "page")
    visitor.look()
    visitor.focus_all(15)
    expect(menu.get_by_role("link", name="Log")).to_be_focused()
    assert visitor.complaints == []
