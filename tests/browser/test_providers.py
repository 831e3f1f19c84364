"""An OpenID Connect provider in a real browser: on another origin, under our CSP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Photo
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


def test_a_newcomer_comes_from_a_provider(
    any_visitor: Visitor, provider: Provider, photo: Photo
) -> None:
    page, keys = any_visitor.page, any_visitor.page.keyboard

    def heading(text: str) -> None:
        expect(page.get_by_role("heading", level=1)).to_have_text(text)

    any_visitor.open("/sign-in/")
    photo("provider-sign-in")
    page.get_by_role("button", name="Continue with University").press("Enter")
    heading("Choose a username")
    photo("provider-name")
    page.get_by_label("Username").fill("eve")
    keys.press("Enter")
    heading("Eve Example")
    page.get_by_role("link", name="Connected accounts").press("Enter")
    heading("Connected accounts")
    photo("provider-connected")
    page.get_by_role("button", name="Disconnect University").press("Enter")
    expect(page.get_by_text("Choose a password first")).to_be_visible()
    page.get_by_role("button", name="Sign out").press("Enter")
    any_visitor.open("/sign-in/")
    page.get_by_role("button", name="Continue with University").press("Enter")
    heading("Eve Example")
    assert len(any_visitor.complaints) == 4  # two sign-ins, each with a redirect there
    assert all(provider.server_url in complaint for complaint in any_visitor.complaints)
    any_visitor.complaints.clear()
