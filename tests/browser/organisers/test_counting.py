"""Organisers say which attempts count and who is out of the ranking; participants choose."""

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
    """The organiser of a challenge with a baseline of their own, and attempts of three others."""
    ben = organiser_of(tenant, "ben", password=PASSWORD)
    fields = {"name": "Sprint", "scoring_strategy": "fastest"}
    sprint = create_challenge(tenant=tenant, user=ben, fields=fields)
    tries = [("Atlas", 100), ("Borea", 200), ("Ceres", 300), ("Random baseline", 150)]
    for name, elapsed in [*tries, ("Atlas", 400)]:
        attempt_of(ben, sprint, name, metrics={"succeeded": True, "elapsed_ms": elapsed})
    single.score_waiting()
    return ben


@pytest.mark.usefixtures("organiser")
def test_a_chosen_attempt_counts_and_a_baseline_has_no_rank(
    visitor: Visitor, screenshots: Path
) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/sprint/manage/phases/?phase=main")
    page.get_by_label("Which attempt counts").select_option("chosen")
    page.get_by_label("How many").fill("1")
    visitor.look()
    page.screenshot(path=screenshots / "counting-phase.png", full_page=True)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("may choose 1 attempt")).to_be_visible()
    visitor.open("/c/sprint/people/")
    page.get_by_label("Row of Random baseline on boards").select_option("baseline")
    row = page.locator("li", has_text="Random baseline")
    row.get_by_role("button", name="Set row").click()
    expect(row.locator(".state", has_text="Baseline")).to_be_visible()
    visitor.look()
    page.screenshot(path=screenshots / "counting-people.png", full_page=True)
    visitor.open("/c/sprint/p/atlas/")
    page.locator("table.attempts tbody tr").first.locator("a").first.click()
    page.get_by_role("button", name="Choose this attempt").click()
    expect(page.get_by_text("The attempt is chosen.")).to_be_visible()
    expect(page.get_by_text("1 of 1 chosen")).to_be_visible()
    visitor.look()
    page.screenshot(path=screenshots / "counting-attempt.png", full_page=True)
    visitor.open("/c/sprint/")
    expect(page.locator("tbody tr")).to_contain_text(["Random baseline", "Borea", "Ceres", "Atlas"])
    expect(page.locator("tbody tr").first.locator(".rank")).to_have_text("–")
    visitor.look()
    page.screenshot(path=screenshots / "counting-board.png", full_page=True)
    page.locator("details.view:not(.key) > summary").click()
    page.get_by_label("Rows").select_option(label="Without those out of the ranking")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("tbody tr")).to_contain_text(["Borea", "Ceres", "Atlas"])
