"""Pages that update by themselves, while the server refuses, and after a sign-out."""

from __future__ import annotations

from playwright.sync_api import Page, Route, expect

from leaderboard.models import Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from tests.browser.visitor import Visitor
from tests.helpers.attempts import attempt_of
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER


def pass_time(page: Page, seconds: int) -> None:
    """Let time pass for the scripts of a page, second by second."""
    for _ in range(seconds):
        page.clock.run_for(1000)
        expect(page.locator(".htmx-request")).to_have_count(0)


def test_a_waiting_attempt_asks_less_often_and_stops(
    visitor: Visitor, tenant: Tenant, organiser: User
) -> None:
    fields = {"name": "Plan", "scoring_strategy": "fastest"}
    challenge = create_challenge(tenant=tenant, user=organiser, fields=fields)
    attempt = attempt_of(organiser, challenge, "Atlas")
    page = visitor.page
    page.clock.install()
    visitor.open(attempt.get_absolute_url())
    answers = [(503, {"Retry-After": "60"}), (500, {}), (500, {}), (404, {})]
    asked: list[int] = []

    def answer(route: Route) -> None:
        status, headers = answers[len(asked)]
        asked.append(status)
        route.fulfill(status=status, headers=headers, body="")

    page.route("**/attempts/**", answer)
    pass_time(page, 50)
    assert asked == [503]
    pass_time(page, 15)
    assert asked == [503, 500]
    pass_time(page, 5)
    assert asked == [503, 500]
    pass_time(page, 30)
    assert asked == [503, 500, 500, 404]
    page.clock.run_for(600_000)
    assert len(asked) == len(answers)
    expect(page.get_by_text("worker will score it")).to_be_visible()
    visitor.complaints.clear()  # Chromium reports the refused requests


def test_a_checklist_stays_after_a_sign_out(
    visitor: Visitor, tenant: Tenant, organiser: User
) -> None:
    fields = {"name": "Plan", "scoring_strategy": "fastest", "is_draft": True}
    create_challenge(tenant=tenant, user=organiser, fields=fields)
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/plan/manage/")
    page.get_by_role("button", name="Send a sample attempt").click()
    expect(page.get_by_text("waits for its score")).to_be_visible()
    with page.expect_response("**/sign-in/**"):
        page.context.clear_cookies()
    expect(page.locator("#checklist.htmx-request")).to_have_count(0)
    expect(page.get_by_text("waits for its score")).to_be_visible()
