"""A visitor watches a board, sorts it with the keyboard and chooses a theme."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Challenge, Membership, Tenant, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from tests.browser.visitor import Visitor
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER


@pytest.fixture
def sprint() -> Challenge:
    tenant = Tenant.objects.create(slug="default", name="Default")
    ann = User.objects.create_user("ann")
    Membership.objects.create(tenant=tenant, user=ann, role=Membership.Role.ORGANISER)
    fields = {"name": "Sprint", "scoring_strategy": "fastest"}
    challenge = create_challenge(tenant=tenant, user=ann, fields=fields)
    for number, name in enumerate(("Atlas", "漢字", "A name that is long " * 4)):
        submit(challenge, name, elapsed_ms=9000 - number)
    return challenge


def submit(challenge: Challenge, name: str, **facts: float) -> None:
    new = NewAttempt(participant=name, metrics={"succeeded": True, "cost_usd": 1.0, **facts})
    submit_attempt(challenge=challenge, user=User.objects.get(), new=new)
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
    assert visitor.complaints == []


@pytest.mark.usefixtures("sprint")
def test_a_theme_is_chosen_without_javascript(
    chromium: Browser, live_server: LiveServer, screenshots: Path
) -> None:
    visitor = Visitor(chromium, live_server.url, javascript=False)
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
    complaints = visitor.complaints
    visitor.close()
    assert complaints == []
