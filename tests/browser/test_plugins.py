"""A user looks for a scorer and tries it."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from leaderboard.models import Tenant, User
from tests.browser.visitor import Visitor
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER

PASSWORD = "a long walk home"


def test_a_user_finds_a_scorer_and_tries_it(visitor: Visitor, screenshots: Path) -> None:
    Tenant.objects.create(slug="default", name="Default")
    User.objects.create_user("ben", password=PASSWORD)
    page = visitor.page
    visitor.open("/plugins/")
    page.get_by_role("searchbox", name="Search plugins").fill("rating weight")
    expect(page.locator("#found")).to_have_text("1 found")
    page.get_by_role("link", name="WeightedScorer").press("Enter")
    page.get_by_role("link", name="Sign in", exact=True).last.click()
    page.get_by_label("Username").fill("ben")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Password").press("Enter")
    page.get_by_label("Rating weight").fill("20")
    page.get_by_role("button", name="Try it").press("Enter")
    expect(page.locator("#result")).to_contain_text("Rating contribution")
    visitor.look()
    page.screenshot(path=screenshots / "plugin-tried.png", full_page=True)
