"""A reader tries an operation of the API on the page that describes it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from leaderboard.models import Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.tokens import create_token
from tests.browser.visitor import OpenVisitor, Visitor
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER
PAGE = "/api/docs/challenges/"


@pytest.fixture
def key(tenant: Tenant, organiser: User) -> str:
    """The token of the organiser of a private challenge."""
    fields = {"name": "Sprint", "scoring_strategy": "fastest", "visibility": "private"}
    create_challenge(tenant=tenant, user=organiser, fields=fields)
    return create_token(user=organiser, name="try", scopes=["read"])[1]


def test_an_operation_answers_with_the_token_of_the_reader(visitor: Visitor, key: str) -> None:
    page = visitor.page
    visitor.open(PAGE)
    part = page.locator("article[aria-labelledby=challenges_list] .try")
    part.locator("summary").click()
    visitor.look()
    part.get_by_label("search").fill("spr")
    part.get_by_role("button", name="Send").click()
    expect(part.locator("output")).to_contain_text("200")
    expect(part.locator("pre")).not_to_contain_text("Sprint")
    page.get_by_label("Your token").fill(key)
    part.get_by_role("button", name="Send").click()
    expect(part.locator("pre")).to_contain_text('"name": "Sprint"')
    visitor.look()


def test_without_javascript_the_commands_are_there(open_visitor: OpenVisitor) -> None:
    visitor = open_visitor(javascript=False)
    visitor.open(PAGE)
    expect(visitor.page.get_by_text("curl").first).to_be_visible()
    expect(visitor.page.locator(".try:visible")).to_have_count(0)
