"""A board freezes for the public, and its final state is revealed on a projector, by keyboard."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from leaderboard.models import Attempt, Tenant, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from tests.browser.visitor import Visitor
from tests.browser.world import PASSWORD
from tests.helpers.marks import IN_A_BROWSER
from tests.helpers.phases import set_phase
from tests.people import organiser_of

pytestmark = IN_A_BROWSER
NOW, HOUR = timezone.now(), timedelta(hours=1)


@pytest.fixture
def organiser(tenant: Tenant) -> User:
    """An organiser of a challenge whose phase has just closed, frozen for its last hours."""
    ben = organiser_of(tenant, "ben", password=PASSWORD)
    fields = {"name": "Sprint", "scoring_strategy": "fastest"}
    sprint = create_challenge(tenant=tenant, user=ben, fields=fields)
    tries = [("Atlas", 100, 9), ("Borea", 200, 8), ("Ceres", 300, 7), ("Ceres", 50, 1)]
    for name, elapsed, age in tries:
        new = NewAttempt(participant=name, metrics={"succeeded": True, "elapsed_ms": elapsed})
        user, _ = User.objects.get_or_create(username=name)
        attempt, _ = submit_attempt(challenge=sprint, user=user, new=new)
        Attempt.objects.filter(pk=attempt.pk).update(submitted_at=NOW - age * HOUR)
    single.score_waiting()
    dates = {"opens_at": -20, "closes_at": -0.5, "freezes_at": -5}
    set_phase(sprint, name="Final", **{name: NOW + hours * HOUR for name, hours in dates.items()})
    return ben


@pytest.mark.usefixtures("organiser")
@pytest.mark.journey
def test_a_frozen_board_is_revealed_by_keyboard(visitor: Visitor, screenshots: Path) -> None:
    page = visitor.page
    page.emulate_media(reduced_motion="reduce")  # Revealed rows fade in otherwise.
    visitor.open("/c/sprint/")
    expect(page.get_by_text("board is frozen since")).to_be_visible()
    expect(page.locator("tbody tr").first).to_contain_text("Atlas")
    visitor.look()
    page.screenshot(path=screenshots / "freeze-board.png", full_page=True)

    visitor.sign_in()
    visitor.open("/c/sprint/")
    expect(page.get_by_text("For everyone else")).to_be_visible()
    expect(page.locator("tbody tr").first).to_contain_text("Ceres")
    visitor.open("/c/sprint/manage/phases/")
    page.get_by_role("link", name="Step by step").click()
    expect(page.get_by_text("Step 0 of 3")).to_be_visible()
    visitor.look()
    for number, name in enumerate(("Borea", "Atlas", "Ceres"), 1):
        page.keyboard.press("ArrowRight" if number < 3 else "Space")
        expect(page.get_by_text(f"Step {number} of 3")).to_be_visible()
        expect(page.locator(".reveal-rows li").first).to_contain_text(name)
        expect(page.locator(".reveal-rows li.new")).to_have_count(1)
    expect(page.locator(".reveal-rows li").first).to_contain_text("▲ 2")
    visitor.look()
    page.screenshot(path=screenshots / "freeze-reveal.png", full_page=True)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("Step 2 of 3")).to_be_visible()

    visitor.open("/c/sprint/manage/phases/")
    page.get_by_role("button", name="Reveal the board of Final").click()
    expect(page.get_by_text("final board now")).to_be_visible()
    page.context.clear_cookies()
    visitor.open("/c/sprint/")
    expect(page.locator("tbody tr").first).to_contain_text("Ceres")
    expect(page.get_by_text("board is frozen since")).to_have_count(0)
