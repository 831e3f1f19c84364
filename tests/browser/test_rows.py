"""A participant reads what stands beside the rows of a board."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from leaderboard.models import Tenant, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.board.certainty.computing import look_after_certainty
from leaderboard.services.challenges.challenges import create_challenge
from tests.browser.visitor import OpenVisitor, Visitor
from tests.helpers.attempts import attempt_of, score_all
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER

NAMES = ("Atlas", "A name of " + "very " * 12 + "many words", "早い子", "سريع", "Echo")
PASSWORD = "a long walk home"


@pytest.fixture
def board(tenant: Tenant) -> None:
    """Five entries over 20 tasks, one of them by zoe, who has tried three times."""
    ann, zoe = (User.objects.create_user(name, password=PASSWORD) for name in ("ann", "zoe"))
    fields = {
        "name": "Harbour",
        "scoring_strategy": "metric",
        "metrics": ["mean"],
        "rank_by": [{"key": "mean"}],
    }
    harbour = create_challenge(tenant=tenant, user=ann, fields=fields)
    for at, name in enumerate((*NAMES, "Zebra", "Zebra", "Zebra")):
        solved = 20 - 3 * min(at, 5) + at // 6
        samples = [
            Sample(f"task {n}", 0, None if n == 19 and at else {"r": float(n < solved)})
            for n in range(20)
        ]
        attempt_of(zoe if name == "Zebra" else ann, harbour, name, samples=samples)
    score_all()
    look_after_certainty()


@pytest.mark.usefixtures("board")
def test_a_participant_finds_the_own_row_and_its_tasks(visitor: Visitor, screenshots: Path) -> None:
    page = visitor.page
    visitor.open("/sign-in/?next=/c/harbour/")
    page.get_by_label("Username").fill("zoe")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    row = page.get_by_role("row").filter(has_text="Zebra")
    expect(row.get_by_text("you", exact=True)).to_be_visible()
    expect(row.locator("svg.spark")).to_be_visible()
    expect(page.locator(".board-state")).to_contain_text("8 attempts")
    expect(page.get_by_text(re.compile(r"^\d+ minutes? ago$"))).to_be_visible()
    visitor.look()
    page.screenshot(path=screenshots / "rows-board.png", full_page=True)
    page.get_by_role("link", name="Jump to my row").press("Enter")
    expect(page).to_have_url(f"{visitor.home}/c/harbour/#own-row")
    page.get_by_text("Key", exact=True).press("Enter")
    page.get_by_role("link", name="Group rows that cannot be told apart").press("Enter")
    expect(page.get_by_text("Group 1: Atlas")).to_be_visible()
    visitor.look()
    page.screenshot(path=screenshots / "rows-groups.png", full_page=True)
    row.locator("svg.strip a").first.click()
    expect(page.get_by_role("heading", name="task 0")).to_be_visible()


@pytest.mark.usefixtures("board")
def test_strips_on_a_phone_and_in_forced_colours(
    open_visitor: OpenVisitor, screenshots: Path
) -> None:
    visitor = open_visitor(phone=True, scheme="dark", javascript=False)
    visitor.open("/c/harbour/?groups=1")
    row = visitor.page.get_by_role("row").filter(has_text="Echo")
    expect(row.locator("svg.strip")).to_be_hidden()
    row.locator(".more-cell summary").click()
    expect(row.locator("svg.strip")).to_be_visible()
    visitor.measure()
    visitor.page.screenshot(path=screenshots / "rows-phone.png", full_page=True)
    visitor.page.emulate_media(forced_colors="active")
    visitor.page.screenshot(path=screenshots / "rows-forced.png", full_page=True)
