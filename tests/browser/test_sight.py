"""An organiser hides names and others' scores in a phase; others see what is left."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from leaderboard.models import Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from tests.browser.visitor import Visitor
from tests.browser.world import PASSWORD
from tests.helpers.attempts import attempt_of
from tests.helpers.marks import IN_A_BROWSER
from tests.people import organiser_of

pytestmark = IN_A_BROWSER


@pytest.fixture
def organiser(tenant: Tenant) -> User:
    ben = organiser_of(tenant, "ben", password=PASSWORD)
    fields = {"name": "Sprint", "scoring_strategy": "fastest"}
    sprint = create_challenge(tenant=tenant, user=ben, fields=fields)
    for at, name in enumerate(("Atlas", "Borea", "Ceres")):
        attempt_of(
            User.objects.create_user(name),
            sprint,
            name,
            metrics={"succeeded": True, "elapsed_ms": 1000 + at},
        )
    single.score_waiting()
    return ben


@pytest.mark.usefixtures("organiser")
def test_names_and_scores_are_hidden(visitor: Visitor, screenshots: Path) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/sprint/manage/phases/?phase=main")
    page.get_by_label("Closes").fill("2100-10-31T12:00")
    page.get_by_label("Names of participants").select_option("Anonymous until the end")
    page.screenshot(path=screenshots / "sight-form.png", full_page=True)
    visitor.look()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("no names until")).to_be_visible()
    visitor.look()
    page.screenshot(path=screenshots / "sight-phases.png", full_page=True)

    page.context.clear_cookies()
    visitor.open("/c/sprint/")
    expect(page.get_by_text("Anonymous", exact=False).nth(2)).to_be_visible()
    expect(page.get_by_text("Atlas")).to_have_count(0)
    expect(page.get_by_role("searchbox")).to_have_count(0)
    visitor.look()
    page.screenshot(path=screenshots / "sight-anonymous.png", full_page=True)
    page.locator("tbody a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Anonymous")
    visitor.look()

    visitor.sign_in()
    visitor.open("/c/sprint/manage/phases/?phase=main")
    page.get_by_label("Whose scores readers see").select_option("None")
    page.get_by_role("button", name="Save").click()
    page.context.clear_cookies()
    visitor.open("/c/sprint/")
    expect(page.get_by_text("hidden from you")).to_be_visible()
    visitor.look()
    page.screenshot(path=screenshots / "sight-hidden.png", full_page=True)
