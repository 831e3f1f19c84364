"""Accounts in a real browser: by keyboard, under the CSP, in both themes, at two widths."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail
from playwright.sync_api import expect

from leaderboard.models import OneTimeLink, User
from leaderboard.services.accounts.one_time_links import make_link
from tests.browser.conftest import Photo
from tests.browser.visitor import OpenVisitor, Visitor
from tests.browser.world import PASSWORD
from tests.helpers.marks import IN_A_BROWSER
from tests.people import organiser_of

pytestmark = IN_A_BROWSER

NEW = "correct horse battery"


@pytest.fixture(autouse=True)
def _open(settings: Any) -> None:
    settings.SIGN_UP = "open"
    settings.SENDS_MAIL = True


def link_in(number: int) -> str:
    body = str(mail.outbox[number].body)
    return next(word for word in body.split() if word.startswith("http"))


def test_a_user_signs_up_by_keyboard(visitor: Visitor) -> None:
    page, keys = visitor.page, visitor.page.keyboard
    visitor.open("/sign-up/")
    page.get_by_label("Username").focus()
    for typed in ("eve", "eve@example.org", NEW, NEW):
        keys.type(typed)
        keys.press("Tab")
    expect(page.get_by_role("button", name="Sign up")).to_be_focused()
    keys.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Look into your mailbox")
    visitor.open(link_in(0).removeprefix(visitor.home))
    visitor.look()
    page.get_by_role("button", name="Yes, it is").press("Enter")
    page.get_by_label("Username").fill("eve")
    page.get_by_label("Password").fill(NEW)
    keys.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("eve")


def test_an_organiser_invites_by_keyboard(visitor: Visitor, tenant: Any, settings: Any) -> None:
    settings.SIGN_UP = "invited"
    ann = organiser_of(tenant, "ann", password=PASSWORD)
    _link, code = make_link(OneTimeLink.Purpose.INVITATION, by=ann, tenant=tenant)
    page, keys = visitor.page, visitor.page.keyboard
    visitor.open(f"/link/#{code}")
    expect(page.get_by_label("Code")).to_have_value(code)
    expect(page).to_have_url(f"{visitor.home}/link/")
    expect(page.get_by_role("button", name="Continue")).to_be_focused()
    visitor.look()
    keys.press("Enter")
    page.get_by_label("Username").fill("eve")
    page.get_by_label("Password", exact=True).fill(NEW)
    page.get_by_label("Password again").fill(NEW)
    page.get_by_label("E-mail address").fill("eve@example.org")
    keys.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("eve")


def test_a_code_can_be_typed_without_javascript(open_visitor: OpenVisitor, tenant: Any) -> None:
    organiser_of(tenant, "ann", password=PASSWORD)
    _link, code = make_link(OneTimeLink.Purpose.PASSWORD, by=None, user=User.objects.get())
    visitor = open_visitor(javascript=False)
    page = visitor.page
    visitor.open("/sign-in/")
    page.get_by_role("link", name="Use it").click()
    page.get_by_label("Code").fill(code.upper())
    page.keyboard.press("Enter")
    page.get_by_label("New password", exact=True).fill(NEW)
    page.get_by_label("New password again").fill(NEW)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("ann")


def test_every_page_of_accounts_is_accessible(
    any_visitor: Visitor, photo: Photo, tenant: Any
) -> None:
    organiser_of(tenant, "ann", password=PASSWORD, email="ann@example.org", is_staff=True)
    visitor, page = any_visitor, any_visitor.page

    def check(path: str) -> None:
        visitor.open(path)
        photo(path.strip("/").replace("/", "-"))

    public = ("/sign-in/", "/sign-up/", "/link/", "/password/reset/")
    for path in (*public, "/account/email/sent/", "/account/inactive/"):
        check(path)
    visitor.sign_in("ann")
    own = ("/account/password/", "/account/confirm/", "/account/email/", "/people/")
    for path in ("/account/", *own, "/account/name/", "/account/sessions/"):
        check(path)
    visitor.open("/account/delete/")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Delete my account")
    check("/account/delete/")
    visitor.open("/people/")
    page.get_by_role("button", name="Make an invitation").click()
    expect(page.locator("#link")).to_contain_text("/link/#")
    photo("people-made")
    table = {"name": "people.csv", "mimeType": "text/csv", "buffer": b"Ada Lovelace\nAlan Turing"}
    page.locator("input[type=file]").set_input_files(table)  # type: ignore[arg-type]
    page.get_by_role("button", name="Look at the accounts").click()
    visitor.look()
    page.get_by_role("button", name="Make the accounts").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Links to print")
    photo("sheet")


def test_an_account_is_deleted_by_keyboard(visitor: Visitor) -> None:
    User.objects.create_user("ben", password=PASSWORD)
    page, keys = visitor.page, visitor.page.keyboard
    visitor.open("/sign-in/")
    page.get_by_label("Username").fill("ben")
    page.get_by_label("Password").fill(PASSWORD)
    keys.press("Enter")
    page.get_by_role("link", name="Delete my account").press("Enter")
    page.get_by_label("Password").fill(PASSWORD)
    keys.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Delete my account")
    visitor.look()
    page.get_by_label("Type your username").fill("ben")
    keys.press("Enter")
    expect(page.get_by_text("Your account is deleted.")).to_be_visible()
    assert not User.objects.exists()
