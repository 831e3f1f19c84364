"""A visitor filters a board and chooses its columns, by keyboard and without JavaScript."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from leaderboard.models import Attempt, Challenge, Phase, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from tests.browser.visitor import OpenVisitor
from tests.helpers.attempts import attempt_of, score_all
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER


@pytest.fixture
def board(tenant: Tenant) -> None:
    ann = User.objects.create_user("ann")
    fields = {"name": "Sprint", "scoring_strategy": "fastest"}
    sprint = create_challenge(tenant=tenant, user=ann, fields=fields)
    for at, name in enumerate(("Atlas", "早い子", "سريع جدا", "Delphi " * 15)):
        attempt_of(
            ann,
            sprint,
            name.strip(),
            kind="team" if at % 2 else "system",
            metrics={"succeeded": True, "elapsed_ms": at + 1, "tokens_total": 100 * at},
        )
    score_all()


@pytest.mark.parametrize("phone", [False, True])
def test_a_visitor_chooses_what_a_board_shows(
    board: None, open_visitor: OpenVisitor, phone: bool
) -> None:
    visitor = open_visitor(scheme="dark" if phone else "light", phone=phone)
    page = visitor.page
    visitor.open("/c/sprint/")
    page.get_by_text("Filters and columns").focus()
    page.keyboard.press("Enter")
    visitor.look()
    page.get_by_label("Kind").select_option("Team")
    page.get_by_role("checkbox", name="Tokens").uncheck()
    page.get_by_role("button", name="Show", exact=True).press("Enter")
    expect(page.get_by_text("2 participants found")).to_be_visible()
    asked = parse_qs(urlsplit(page.url).query, keep_blank_values=True)
    assert asked["participant_kind"] == ["team"]
    assert all(all(values) for values in asked.values())
    expect(page.locator("td[data-label=Tokens]")).to_have_count(0)
    expect(page.get_by_text("#1 here")).to_be_visible()
    visitor.look()
    page.get_by_role("searchbox").fill("早い")
    page.wait_for_url(re.compile("q="))
    expect(page.locator(".board tbody tr")).to_have_count(1)
    page.get_by_role("link", name=re.compile("Name: 早い")).click()
    expect(page.locator(".board tbody tr")).to_have_count(2)
    page.get_by_text("Cite this board").click()
    expect(page.get_by_text("@misc{sprint_")).to_be_visible()
    visitor.look()


def test_a_board_is_sorted_and_downloaded_without_javascript(
    board: None, open_visitor: OpenVisitor
) -> None:
    visitor = open_visitor(javascript=False)
    page = visitor.page
    visitor.open("/c/sprint/")
    page.get_by_text("Filters and columns").click()
    page.get_by_label("Order").select_option("Tokens (lowest first)")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("link", name="Order: Tokens (lowest first)")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Markdown").click()
    assert download.value.suggested_filename == "sprint.md"


@pytest.mark.parametrize("javascript", [True, False])
def test_a_visitor_sorts_by_a_field_of_meta(
    board: None, open_visitor: OpenVisitor, javascript: bool
) -> None:
    fields = [{"name": "size", "label": "Size", "type": "number", "unit": "B", "shown": True}]
    Challenge.objects.update(meta_fields=fields)
    for attempt in Attempt.objects.select_related("participant"):
        size = {"Atlas": "7", "早い子": "70"}.get(attempt.participant.handle)
        Attempt.objects.filter(pk=attempt.pk).update(meta={"size": size} if size else {})
    Phase.objects.update(closes_at=datetime(2099, 5, 4, 10, tzinfo=UTC))
    visitor = open_visitor(javascript=javascript, phone=not javascript)
    page = visitor.page
    visitor.open("/c/sprint/")
    expect(page.get_by_text("open until 4 May 2099")).to_be_visible()
    sizes = page.locator("td[data-label=Size]")
    for order, expected in (("meta.size", ["7 B", "70 B"]), ("-meta.size", ["70 B", "7 B"])):
        page.locator("#by-meta-1").click()
        expect(page).to_have_url(re.compile(rf"\?sort={re.escape(order)}$"))
        expect(sizes).to_have_text([*expected, "–", "–"])
    if javascript:
        visitor.look()
