"""An OpenID Connect provider in a real browser: on another origin, under our CSP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.visitor import Visitor
from tests.helpers.marks import IN_A_BROWSER
from tests.helpers.openid import Provider, running_provider

pytestmark = IN_A_BROWSER


@pytest.fixture
def provider(settings: Any) -> Iterator[Provider]:
    settings.SIGN_UP = "open"
    with running_provider() as provider:
        settings.OPENID_CONNECT = (provider.configured(),)
        yield provider


@pytest.fixture(params=["light-phone", "dark-wide"])
def newcomer(
    request: pytest.FixtureRequest, chromium: Browser, live_server: LiveServer
) -> Iterator[Visitor]:
    scheme, width = request.param.split("-")
    visitor = Visitor(chromium, live_server.url, scheme=scheme, phone=width == "phone")
    yield visitor
    visitor.close()


def test_a_newcomer_comes_from_a_provider(
    newcomer: Visitor, provider: Provider, screenshots: Path, request: pytest.FixtureRequest
) -> None:
    page, keys = newcomer.page, newcomer.page.keyboard
    form = request.node.callspec.params["newcomer"]

    def check(name: str) -> None:
        newcomer.look()
        page.screenshot(path=screenshots / f"{form}-provider-{name}.png", full_page=True)

    def heading(text: str) -> None:
        expect(page.get_by_role("heading", level=1)).to_have_text(text)

    newcomer.open("/sign-in/")
    check("sign-in")
    page.get_by_role("button", name="Continue with University").press("Enter")
    heading("Choose a username")
    check("name")
    page.get_by_label("Username").fill("eve")
    keys.press("Enter")
    heading("Eve Example")
    page.get_by_role("link", name="Connected accounts").press("Enter")
    heading("Connected accounts")
    check("connected")
    page.get_by_role("button", name="Disconnect University").press("Enter")
    expect(page.get_by_text("Choose a password first")).to_be_visible()
    page.get_by_role("button", name="Sign out").press("Enter")
    newcomer.open("/sign-in/")
    page.get_by_role("button", name="Continue with University").press("Enter")
    heading("Eve Example")
    expected = [complaint for complaint in newcomer.complaints if provider.server_url in complaint]
    assert len(expected) == 4  # two sign-ins, each with a redirect there
    assert newcomer.complaints == expected
