"""A visitor watches a board, sorts it with the keyboard and chooses a theme."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from tests.browser.visitor import OpenVisitor, Visitor
from tests.helpers.attempts import attempt_of
from tests.helpers.marks import IN_A_BROWSER
from tests.people import organiser_of

pytestmark = IN_A_BROWSER


@pytest.fixture
def sprint(tenant: Tenant) -> Challenge:
    ann = organiser_of(tenant, "ann")
    fields = {"name": "Sprint", "scoring_strategy": "fastest"}
    challenge = create_challenge(tenant=tenant, user=ann, fields=fields)
    for number, name in enumerate(("Atlas", "漢字", "A name that is long " * 4)):
        submit(challenge, name, elapsed_ms=9000 - number)
    return challenge


def submit(challenge: Challenge, name: str, **facts: float) -> None:
    attempt_of(
        User.objects.get(), challenge, name, metrics={"succeeded": True, "cost_usd": 1.0, **facts}
    )
    single.score_waiting()


@pytest.mark.journey
def test_a_visitor_is_told_of_new_results(
    visitor: Visitor, sprint: Challenge, screenshots: Path
) -> None:
    page = visitor.page
    page.clock.install()
    page.emulate_media(reduced_motion="reduce")
    visitor.open("/c/sprint/")
    news = page.locator(".news")
    expect(news).to_be_empty()
    with page.expect_response(re.compile(r"version\.json")):
        page.clock.fast_forward(12_000)
    expect(news).to_be_empty()

    heading = page.get_by_role("columnheader").get_by_role("link", name="Cost")
    heading.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"sort="))
    expect(heading).to_be_focused()

    submit(sprint, "Newcomer", elapsed_ms=10)
    page.clock.fast_forward(12_000)
    expect(news).to_have_text("1 change – show it")
    expect(page.get_by_text("Newcomer")).to_have_count(0)
    visitor.look()
    page.screenshot(path=screenshots / "live-news.png")
    news.get_by_role("link").press("Enter")
    expect(page.get_by_text("Newcomer").first).to_be_visible()
    expect(news).to_be_empty()


@pytest.mark.usefixtures("sprint")
def test_a_theme_is_chosen_without_javascript(open_visitor: OpenVisitor, screenshots: Path) -> None:
    visitor = open_visitor(javascript=False)
    page = visitor.page
    visitor.open("/c/sprint/")
    paper = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(paper) == "rgb(251, 251, 249)"
    page.get_by_role("button", name="Dark").press("Enter")
    expect(page).to_have_url(re.compile("/c/sprint/#theme"))
    assert page.evaluate(paper) == "rgb(19, 22, 20)"
    visitor.measure()
    page.screenshot(path=screenshots / "live-dark.png")
    page.emulate_media(media="print")
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
