"""An organiser sends a sample attempt through a draft in a real browser, and publishes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring.single import score_attempt
from tests.browser.visitor import PHONE, Visitor
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER


@pytest.fixture
def plan(tenant: Tenant, organiser: User) -> Challenge:
    fields = {"name": "Plan", "scoring_strategy": "fastest", "is_draft": True}
    return create_challenge(tenant=tenant, user=organiser, fields=fields)


@pytest.mark.usefixtures("plan")
@pytest.mark.journey
def test_a_sample_is_tried_and_the_draft_published(visitor: Visitor, screenshots: Path) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/plan/manage/")
    visitor.look()
    page.get_by_role("button", name="Send a sample attempt").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("waits for its score")).to_be_visible()
    visitor.look()
    assert score_attempt(Attempt.objects.get().pk)
    expect(page.get_by_text("and has rank 1")).to_be_visible()
    for name, size in (("wide", None), ("phone", PHONE)):
        if size:
            page.set_viewport_size(size)  # type: ignore[arg-type]
        visitor.look()
        page.screenshot(path=screenshots / f"draft-{name}.png", full_page=True)
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("The challenge is published.")).to_be_visible()
    assert not Attempt.objects.exists()
