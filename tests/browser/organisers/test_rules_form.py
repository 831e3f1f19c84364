"""An organiser changes the scoring of a challenge in a browser, with and without JavaScript."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from tests.browser.visitor import PHONE, OpenVisitor, Visitor
from tests.helpers.chromium import PATIENCE_MS
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER
PAGE = "/c/plan/manage/rules/"


@pytest.fixture
def plan(tenant: Tenant, organiser: User) -> Challenge:
    fields = {
        "name": "Plan",
        "scoring_strategy": "metric",
        "rank_by": [{"key": "solved"}],
        "values": ["solved", "penalty"],
    }
    return create_challenge(tenant=tenant, user=organiser, fields=fields)


@pytest.mark.journey
def test_the_board_follows_the_form(visitor: Visitor, screenshots: Path, plan: Challenge) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open(PAGE)
    visitor.look()
    page.get_by_label("then by").first.select_option("penalty")
    page.get_by_label("Goal").focus()
    expect(page.locator("#preview th", has_text="penalty")).to_be_visible()
    expect(page.get_by_text("Saving makes version 2")).to_be_visible()
    page.get_by_label("scorers.weighted:WeightedScorer").check()
    expect(page.get_by_label("Rating weight")).to_be_visible()
    for name, size in (("wide", None), ("phone", PHONE)):
        if size:
            page.set_viewport_size(size)  # type: ignore[arg-type]
        visitor.look()
        page.screenshot(path=screenshots / f"rules-form-{name}.png", full_page=True)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The changes are saved.")).to_be_visible()
    plan.refresh_from_db()
    assert [key["key"] for key in plan.newest.rank_by] == ["solved", "penalty"]


@pytest.mark.usefixtures("plan")
def test_the_board_is_shown_without_javascript(open_visitor: OpenVisitor) -> None:
    visitor = open_visitor(javascript=False)
    visitor.sign_in()
    visitor.open(PAGE)
    visitor.page.get_by_label("then by").first.select_option("penalty")
    visitor.page.get_by_role("button", name="Show the board").click()
    expect(visitor.page.locator("#preview th", has_text="penalty")).to_be_visible()


def test_a_new_challenge_shows_the_settings_of_its_scorer(
    visitor: Visitor, screenshots: Path, organiser: User
) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/new/?kind=scorer")
    page.get_by_label("scorers.weighted:WeightedScorer").check()
    expect(page.get_by_label("Rating weight")).to_be_visible()
    for name, size in (("wide", None), ("phone", PHONE)):
        if size:
            page.set_viewport_size(size)  # type: ignore[arg-type]
        visitor.look()
        page.screenshot(path=screenshots / f"new-scorer-{name}.png", full_page=True)


def held_forms(page: Page) -> list[Route]:
    """Hold back what the page sends, until the test lets it go on."""
    held: list[Route] = []
    page.route(
        "**/*",
        lambda route: held.append(route) if route.request.method == "POST" else route.continue_(),
    )
    return held


def wait_for_one(page: Page, held: list[Route]) -> None:
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not held:
        assert time.monotonic() < deadline, "the page has sent nothing"
        page.wait_for_timeout(20)


def let_go(page: Page, held: list[Route]) -> None:
    """Let the page have its answer, also if it has sent the form again meanwhile."""
    wait_for_one(page, held)
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while held or page.locator(".htmx-request").count():
        assert time.monotonic() < deadline, "the page still waits for an answer"
        while held:
            held.pop(0).continue_()
        page.wait_for_timeout(20)


def test_what_is_typed_while_the_board_is_asked_for_stays(
    visitor: Visitor, plan: Challenge
) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open(PAGE)
    page.get_by_label("scorers.weighted:WeightedScorer").check()
    rating = page.get_by_role("spinbutton", name="Rating weight")
    penalty = page.get_by_role("spinbutton", name="Time penalty")
    expect(rating).to_be_visible()
    held = held_forms(page)

    rating.fill("5")
    rating.press("Tab")
    let_go(page, held)
    expect(penalty).to_be_focused()
    page.keyboard.type("7")
    expect(penalty).to_have_value("7")

    page.keyboard.press("Tab")
    wait_for_one(page, held)
    page.keyboard.type("0.25")
    rating.fill("6")
    rating.press("Home")
    let_go(page, held)
    expect(page.get_by_role("spinbutton", name="Token penalty")).to_have_value("0.25")
    expect(rating).to_be_focused()
    page.keyboard.type("1")
    expect(rating).to_have_value("16")

    page.keyboard.press("Tab")
    let_go(page, held)
    page.unroute("**/*")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The changes are saved.")).to_be_visible()
    plan.refresh_from_db()
    config = plan.newest.config
    assert (config["rating_weight"], config["time_penalty"], config["token_penalty"]) == (
        16,
        7,
        0.25,
    )


@pytest.mark.usefixtures("plan")
def test_a_chosen_metric_brings_its_settings_on_a_slow_network(visitor: Visitor) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/plan/manage/metrics/")
    page.get_by_role("button", name="Add a text metric").click()
    metric = page.locator("#text-metrics select").first
    limit = page.locator("#id_text_timeout_ms")
    tokenizer = page.locator("#text-metrics [name$='.parameters.tokenizer']")
    for first, then in (("ROUGE", None), ("F1", "ROUGE")):
        held: list[Route] = []
        hold = partial(hold_first, held)
        page.route("**/metrics/", hold)
        metric.select_option(first)
        wait_for_one(page, held)
        if then:
            metric.select_option(then)
        else:
            limit.fill("6000")
            limit.press("Tab")
        page.wait_for_timeout(500)  # longer than the page waits for further changes
        with page.expect_event("requestfinished"):
            held[0].continue_()
        expect(page.locator(".htmx-request")).to_have_count(0)
        expect(tokenizer).to_have_count(1)
        page.unroute("**/metrics/", hold)


def hold_first(held: list[Route], route: Route) -> None:
    if held:
        route.continue_()
    else:
        held.append(route)
