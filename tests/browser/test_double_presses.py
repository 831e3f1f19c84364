"""Buttons that are pressed twice while the server is slow."""

from __future__ import annotations

from threading import Event

import pytest
from django.http import HttpRequest
from playwright.sync_api import Locator, expect

from leaderboard.models import ApiToken, Attempt, Challenge, Tenant, User
from leaderboard.pages.site import limits
from leaderboard.services.challenges.challenges import create_challenge
from tests.browser.visitor import Visitor
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER


@pytest.fixture
def plan(tenant: Tenant, organiser: User) -> Challenge:
    fields = {"name": "Plan", "scoring_strategy": "fastest"}
    return create_challenge(tenant=tenant, user=organiser, fields=fields)


@pytest.fixture
def goes_on(monkeypatch: pytest.MonkeyPatch) -> Event:
    """While it is not set, the server answers no form."""
    wait_for_page, goes_on = limits._wait_for_page, Event()
    goes_on.set()

    def slowly(request: HttpRequest) -> float | None:
        if request.method == "POST":
            goes_on.wait(60)
        return wait_for_page(request)

    monkeypatch.setattr(limits, "_wait_for_page", slowly)
    return goes_on


def press_twice(button: Locator, goes_on: Event) -> None:
    """Click twice, as slowly as a person does, before the server answers."""
    goes_on.clear()
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    assert box is not None
    mouse = button.page.mouse
    for pause in (150, 0):
        mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        button.page.wait_for_timeout(pause)
    goes_on.set()


@pytest.mark.usefixtures("plan")
def test_a_button_that_is_pressed_twice_acts_once(visitor: Visitor, goes_on: Event) -> None:
    page = visitor.page
    visitor.sign_in()
    forms: list[str] = []
    page.on("request", lambda sent: forms.append(sent.url) if sent.method == "POST" else None)
    visitor.open("/c/plan/submit/")
    page.locator("#id_participant").fill("Atlas")
    page.locator("#id_succeeded").select_option("yes")
    page.locator("#id_elapsed_ms").fill("1200")
    press_twice(page.get_by_role("button", name="Submit the attempt"), goes_on)
    expect(page.get_by_text("worker will score it")).to_be_visible()
    visitor.open("/account/")
    page.get_by_label("Name").fill("nightly runs")
    press_twice(page.get_by_role("button", name="Make the token"), goes_on)
    expect(page.locator("#token")).to_be_visible()
    assert len(forms) == 2
    assert (Attempt.objects.count(), ApiToken.objects.count()) == (1, 1)


@pytest.mark.usefixtures("organiser")
def test_a_form_that_was_stopped_is_sent_again(visitor: Visitor) -> None:
    page = visitor.page
    page.clock.install()
    visitor.sign_in()
    visitor.open("/account/")
    page.get_by_label("Name").fill("nightly runs")
    page.route("**/account/", lambda route: route.fulfill(status=204))
    button = page.get_by_role("button", name="Make the token")
    button.click()
    page.unroute("**/account/")
    page.clock.fast_forward(11_000)
    button.click()
    expect(page.locator("#token")).to_be_visible()
