"""A visitor reads on a board who leads and how certain that is, by eye and by screen reader."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Challenge, Tenant, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.board.certainty.computing import look_after_certainty
from leaderboard.services.challenges.challenges import create_challenge
from tests.browser.visitor import OpenVisitor
from tests.helpers.attempts import attempt_of, score_all
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER

NAMES = (
    "Juniper",
    "A participant with a name of " + "very " * 12 + "many words",
    "Larch",
    "早い子",
)


@pytest.fixture
def board(tenant: Tenant) -> None:
    """Twelve entries over 40 tasks; the last ones ran only some of them."""
    ann = User.objects.create_user("ann")
    fields = {
        "name": "Harbour",
        "scoring_strategy": "metric",
        "metrics": ["mean_reward"],
        "rank_by": [{"key": "mean_reward"}],
        "columns": [{"key": "mean_reward", "label": "Solved"}],
    }
    harbour = create_challenge(tenant=tenant, user=ann, fields=fields)
    for at in range(12):
        name = NAMES[at] if at < len(NAMES) else f"Entry {at}"
        tasks = range(40 if at < 11 else 6)
        samples = [Sample(f"t{n}", 0, {"r": float((7 * n + at) % 13 > at)}) for n in tasks]
        attempt_of(ann, harbour, name, samples=samples)
    score_all()
    assert look_after_certainty() == 1


@pytest.mark.usefixtures("board")
@pytest.mark.parametrize(("scheme", "phone"), [("light", True), ("dark", False)])
def test_the_verdict_and_the_intervals_can_be_read(
    open_visitor: OpenVisitor, screenshots: Path, scheme: str, phone: bool
) -> None:
    visitor = open_visitor(scheme=scheme, phone=phone)
    page = visitor.page
    visitor.open("/c/harbour/")
    expect(page.get_by_role("heading", name="What this board shows")).to_be_visible()
    expect(page.get_by_text("Juniper leads with")).to_be_visible()
    expect(page.get_by_text("told apart from it")).to_be_visible()
    row = page.get_by_role("row").filter(has_text="Juniper")
    expect(row.get_by_text("with 95% confidence")).to_be_attached()
    expect(row.locator("svg.interval")).to_be_visible()
    visitor.look()
    page.screenshot(path=screenshots / f"certainty-{scheme}-{phone}.png", full_page=True)
    page.get_by_text("Key", exact=True).click()
    page.get_by_role("link", name="Show intervals and reasons").click()
    expect(page.get_by_text("fewer than 8 tasks", exact=False).last).to_be_visible()
    visitor.look()


@pytest.mark.usefixtures("board")
def test_intervals_are_seen_in_forced_colours_and_on_paper(
    open_visitor: OpenVisitor, screenshots: Path
) -> None:
    visitor = open_visitor()
    page = visitor.page
    page.emulate_media(forced_colors="active")
    visitor.open("/c/harbour/")
    dot, ink = page.evaluate(
        "() => [getComputedStyle(document.querySelector('.interval .dot')).fill,"
        " getComputedStyle(document.body).color]"
    )
    assert dot == ink
    page.screenshot(path=screenshots / "certainty-forced.png")
    page.emulate_media(forced_colors="none", media="print")
    expect(page.locator("svg.interval").first).to_be_visible()
    page.screenshot(path=screenshots / "certainty-print.png", full_page=True)


def test_reasons_fit_a_narrow_window(
    open_visitor: OpenVisitor, live_server: LiveServer, board: None
) -> None:
    harbour = Challenge.objects.get()
    ann = User.objects.get(username="ann")
    samples = [Sample(f"t{n}", 0, {"r": 1.0} if n else None, error="Lost") for n in range(40)]
    attempt_of(ann, harbour, "Loser", samples=samples)
    score_all()
    visitor = open_visitor()
    language = {"name": "django_language", "value": "de", "url": live_server.url}
    visitor.context.add_cookies([language])  # type: ignore[list-item]
    visitor.page.set_viewport_size({"width": 320, "height": 700})
    visitor.open("/c/harbour/?intervals=1")
    expect(visitor.page.locator("td.main", has_text="fehlgeschlagen").first).to_be_visible()
    visitor.measure()
