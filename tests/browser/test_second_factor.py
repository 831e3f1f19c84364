"""Keys and apps in a real browser, with an authenticator that Chromium simulates."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import User
from tests.browser.conftest import Photo, in_window
from tests.browser.visitor import OpenVisitor, Visitor
from tests.browser.world import PASSWORD
from tests.helpers.app_codes import code_of
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER


@pytest.fixture(params=["light-phone", "dark-wide"])
def any_visitor(
    request: pytest.FixtureRequest, open_visitor: OpenVisitor, live_server: LiveServer
) -> Visitor:
    """A visitor who opens the server by its host name: browsers make no keys for bare IP
    addresses."""
    User.objects.create_user("ann", password=PASSWORD)
    home = live_server.url.replace("127.0.0.1", "localhost")
    return in_window(request.param, open_visitor, home=home)


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


def test_a_passkey_signs_in_and_is_a_second_factor(any_visitor: Visitor, photo: Photo) -> None:
    page = any_visitor.page
    with_key(page)
    any_visitor.open("/sign-in/")
    sign_in(page)
    page.get_by_role("link", name="Second factor").click()
    photo("factor-none")
    page.get_by_role("link", name="Add a key").press("Enter")
    confirmed(page)
    heading(page, "Add a key")
    photo("factor-add-key")
    page.get_by_label("Passkey").press("Space")
    page.get_by_role("button", name="Add the key").press("Enter")
    heading(page, "Recovery codes")
    photo("factor-codes")
    any_visitor.open("/account/security/keys/")
    photo("factor-keys")

    page.get_by_role("button", name="Sign out").click()
    any_visitor.open("/sign-in/")
    page.get_by_role("button", name="Use a passkey").press("Enter")
    heading(page, "ann")

    page.get_by_role("button", name="Sign out").click()
    any_visitor.open("/sign-in/")
    sign_in(page)
    heading(page, "Second factor")
    photo("factor-asked")
    page.get_by_role("button", name="Use my key").press("Enter")
    heading(page, "ann")


def test_an_app_is_set_up_and_required(any_visitor: Visitor, photo: Photo) -> None:
    page = any_visitor.page
    any_visitor.open("/sign-in/")
    sign_in(page)
    any_visitor.open("/account/security/app/")
    confirmed(page)
    heading(page, "Set up an app")
    photo("factor-app")
    secret = page.locator("main code").inner_text()
    page.get_by_label("code").fill(code_of(secret))
    page.get_by_role("button", name="Turn it on").press("Enter")
    heading(page, "Recovery codes")
    spare = page.locator(".codes code").first.inner_text()
    page.get_by_role("button", name="Sign out").click()
    any_visitor.open("/sign-in/")
    sign_in(page)
    page.get_by_label("code").fill(spare)
    page.get_by_role("button", name="Sign in").press("Enter")
    heading(page, "ann")
    for path in ("app/off/", "codes/new/", ""):
        page.goto(f"/account/security/{path}")
        if "confirm" in page.url:
            any_visitor.look()
            confirmed(page)
        photo(path.strip("/").replace("/", "-") or "both")
