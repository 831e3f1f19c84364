"""Keys and apps in a real browser, with an authenticator that Chromium simulates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import User
from tests.browser.visitor import Visitor
from tests.browser.world import PASSWORD
from tests.helpers.app_codes import code_of
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER


@pytest.fixture(params=["light-phone", "dark-wide"])
def at_localhost(
    request: pytest.FixtureRequest, chromium: Browser, live_server: LiveServer, settings: Any
) -> Iterator[Visitor]:
    """A visitor who opens the server by its host name: browsers make no keys for bare IP
    addresses."""
    User.objects.create_user("ann", password=PASSWORD)
    home = live_server.url.replace("127.0.0.1", "localhost")
    scheme, width = request.param.split("-")
    visitor = Visitor(chromium, home, scheme=scheme, phone=width == "phone")
    if width == "wide":
        visitor.page.set_viewport_size({"width": 1440, "height": 900})
    yield visitor
    visitor.close()


def with_key(page: Page) -> None:
    """Add a simulated security key that confirms every request."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def sign_in(page: Page) -> None:
    page.get_by_label("Username").fill("ann")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).press("Enter")


def confirmed(page: Page) -> None:
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").press("Enter")


def heading(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


@pytest.fixture
def photo(at_localhost: Visitor, screenshots: Path, request: pytest.FixtureRequest) -> Any:
    def taken(name: str) -> None:
        at_localhost.look()
        form = request.node.callspec.params["at_localhost"]
        path = screenshots / f"{form}-factor-{name}.png"
        at_localhost.page.screenshot(path=path, full_page=True)

    return taken


def test_a_passkey_signs_in_and_is_a_second_factor(at_localhost: Visitor, photo: Any) -> None:
    page = at_localhost.page
    with_key(page)
    at_localhost.open("/sign-in/")
    sign_in(page)
    page.get_by_role("link", name="Second factor").click()
    photo("none")
    page.get_by_role("link", name="Add a key").press("Enter")
    confirmed(page)
    heading(page, "Add a key")
    photo("add-key")
    page.get_by_label("Passkey").press("Space")
    page.get_by_role("button", name="Add the key").press("Enter")
    heading(page, "Recovery codes")
    photo("codes")
    at_localhost.open("/account/security/keys/")
    photo("keys")

    page.get_by_role("button", name="Sign out").click()
    at_localhost.open("/sign-in/")
    page.get_by_role("button", name="Use a passkey").press("Enter")
    heading(page, "ann")

    page.get_by_role("button", name="Sign out").click()
    at_localhost.open("/sign-in/")
    sign_in(page)
    heading(page, "Second factor")
    photo("asked")
    page.get_by_role("button", name="Use my key").press("Enter")
    heading(page, "ann")
    assert at_localhost.complaints == []


def test_an_app_is_set_up_and_required(at_localhost: Visitor, photo: Any) -> None:
    page = at_localhost.page
    at_localhost.open("/sign-in/")
    sign_in(page)
    at_localhost.open("/account/security/app/")
    confirmed(page)
    heading(page, "Set up an app")
    photo("app")
    secret = page.locator("main code").inner_text()
    page.get_by_label("code").fill(code_of(secret))
    page.get_by_role("button", name="Turn it on").press("Enter")
    heading(page, "Recovery codes")
    spare = page.locator(".codes code").first.inner_text()
    page.get_by_role("button", name="Sign out").click()
    at_localhost.open("/sign-in/")
    sign_in(page)
    page.get_by_label("code").fill(spare)
    page.get_by_role("button", name="Sign in").press("Enter")
    heading(page, "ann")
    for path in ("app/off/", "codes/new/", ""):
        page.goto(f"/account/security/{path}")
        if "confirm" in page.url:
            at_localhost.look()
            confirmed(page)
        photo(path.strip("/").replace("/", "-") or "both")
    assert at_localhost.complaints == []
