"""A visitor looks at the charts of a board, with the keyboard where a person would."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from leaderboard.models import Tenant
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from tests.browser.visitor import OpenVisitor, Visitor
from tests.helpers.attempts import attempt_of
from tests.helpers.marks import IN_A_BROWSER
from tests.people import organiser_of

pytestmark = IN_A_BROWSER

ENTRIES = {
    "Atlas": (1, 0.50),
    "Boreas with a very long name indeed": (2, 0.60),
    "Ceres": (2.5, 0.58),
    "漢字": (4, 0.61),
    "Delphi": (10, 0.75),
    "Ember": (10, 0.75),
    "Fathom": (12, 0.74),
    "Gale": (None, 0.4),
}


@pytest.fixture
def models(tenant: Tenant) -> None:
    """A challenge whose entries have a cost and an accuracy."""
    ann = organiser_of(tenant, "ann")
    fields = {
        "name": "Models",
        "scoring_strategy": "metric",
        "rank_by": [{"key": "accuracy"}],
        "values": ["accuracy"],
    }
    challenge = create_challenge(tenant=tenant, user=ann, fields=fields)
    for name, (cost, accuracy) in ENTRIES.items():
        facts = {} if cost is None else {"cost_usd": cost}
        attempt_of(ann, challenge, name, metrics=facts, values={"accuracy": accuracy})
    single.score_waiting()


@pytest.fixture
def house(tenant: Tenant) -> None:
    """A challenge with samples: of twelve tasks, Atlas solves more than Boreas."""
    ann = organiser_of(tenant, "ann")
    fields = {
        "name": "House",
        "scoring_strategy": "metric",
        "metrics": ["mean"],
        "rank_by": [{"key": "mean"}],
    }
    challenge = create_challenge(tenant=tenant, user=ann, fields=fields)
    for entry, name in enumerate(("Atlas", "Boreas", "Ceres")):
        samples = [
            Sample(f"{place} {task}", number, {"reward": _reward(entry, place, task, number)})
            for place in ("door", "chest")
            for task in range(6)
            for number in range(3)
        ]
        attempt_of(ann, challenge, name, samples=samples)
    single.score_waiting()


def _reward(entry: int, place: str, task: int, number: int) -> float:
    """1 if the entry solves the task; nobody solves `chest 3`."""
    hardness = task + number + (3 if place == "chest" else 0)
    return float((place, task) != ("chest", 3) and hardness < 8 - entry)


@pytest.mark.usefixtures("models")
def test_a_visitor_weighs_cost_against_accuracy(visitor: Visitor, screenshots: Path) -> None:
    page = visitor.page
    visitor.open("/c/models/")
    page.get_by_role("link", name="Analysis").click()
    expect(page.get_by_role("heading", name="Trade-off")).to_be_visible()
    points = page.locator("svg.wide a.best")
    expect(points).to_have_count(5)
    expect(page.locator("svg.narrow")).to_be_hidden()
    visitor.look()
    page.screenshot(path=screenshots / "analysis-tradeoff.png", full_page=True)

    page.get_by_label("Horizontal axis").select_option("submitted_at")
    page.get_by_role("button", name="Show").press("Enter")
    expect(page.get_by_text("Gale", exact=True).first).to_be_visible()
    visitor.look()
    page.locator("svg.wide a.best").first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Atlas")).to_be_visible()


@pytest.mark.usefixtures("models")
def test_a_visitor_sees_who_held_the_record(visitor: Visitor, screenshots: Path) -> None:
    page = visitor.page
    visitor.open("/c/models/progress/")
    expect(page.locator("svg.wide a.best")).to_have_count(4)
    expect(page.get_by_text("still held")).to_be_visible()
    visitor.look()
    page.screenshot(path=screenshots / "analysis-progress.png", full_page=True)


@pytest.mark.usefixtures("models")
@pytest.mark.journey
def test_a_visitor_ticks_rows_and_compares_them(visitor: Visitor, screenshots: Path) -> None:
    page = visitor.page
    visitor.open("/c/models/")
    expect(page.locator(".picture")).to_have_count(2)
    visitor.look()
    page.screenshot(path=screenshots / "analysis-board.png", full_page=True)
    for name in ("Delphi", "Atlas"):
        page.get_by_role("checkbox", name=f"Compare {name}").check()
    page.get_by_role("button", name="Compare ticked rows").press("Enter")
    expect(page.get_by_role("heading", name="Compare", exact=True)).to_be_visible()
    expect(page.get_by_role("columnheader", name="Delphi")).to_be_visible()
    visitor.look()
    page.screenshot(path=screenshots / "analysis-compare.png", full_page=True)


@pytest.mark.usefixtures("house")
def test_a_visitor_looks_for_hard_tasks(visitor: Visitor, screenshots: Path) -> None:
    page = visitor.page
    visitor.open("/c/house/tasks/")
    expect(page.locator("svg.task-map.wide")).to_be_visible()
    page.get_by_role("link", name="Hardest first").click()
    visitor.look()
    page.screenshot(path=screenshots / "analysis-tasks.png", full_page=True)
    page.locator(".chart-table tbody a").first.click()
    expect(page.get_by_role("heading", name="chest 3")).to_be_visible()
    visitor.look()
    page.screenshot(path=screenshots / "analysis-task.png", full_page=True)
    visitor.open("/c/house/compare/?p=atlas,boreas")
    expect(page.get_by_text("cannot be told apart")).to_be_visible()
    visitor.look()


@pytest.mark.usefixtures("models")
def test_charts_fit_on_a_phone_without_javascript(open_visitor: OpenVisitor) -> None:
    visitor = open_visitor(phone=True, scheme="dark", javascript=False)
    for path in ("/c/models/tradeoff/", "/c/models/progress/"):
        visitor.open(path)
        expect(visitor.page.locator("svg.narrow")).to_be_visible()
        expect(visitor.page.locator("svg.wide")).to_be_hidden()
        visitor.measure()


@pytest.mark.usefixtures("models")
def test_a_visitor_asks_what_if(visitor: Visitor, screenshots: Path) -> None:
    page = visitor.page
    visitor.open("/c/models/what-if/")
    first = page.locator("#what-if-first")
    expect(first).to_contain_text("as on the board")
    expect(page.locator("input[type=range]")).to_have_count(2)
    page.get_by_label("Cost").fill("5")
    page.get_by_label("Cost").press("Tab")
    expect(first).to_contain_text("Atlas is first")
    expect(page).to_have_url(re.compile(r"w\.cost_usd=5"))
    expect(page.get_by_label("Cost")).to_have_value("5")
    visitor.look()
    page.screenshot(path=screenshots / "analysis-what-if.png", full_page=True)


ORDER = """() => {
  const parts = ["#picture-tradeoff a", "#picture-record a", "#q", ".board a", ".downloads a"];
  const found = parts.map((part) => document.querySelector(part)).filter(Boolean);
  const seen = found.map((part) => part.getBoundingClientRect().top);
  const read = found.every((part, at) => !at
    || found[at - 1].compareDocumentPosition(part) & Node.DOCUMENT_POSITION_FOLLOWING);
  return [found.length, read && seen.every((top, at) => !at || seen[at - 1] <= top)];
}"""
"""How many parts of a board are there, and whether they are read in the order they are seen in."""


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("width", [390, 768, 1440])
def test_pictures_are_read_where_they_are_seen(visitor: Visitor, width: int) -> None:
    visitor.page.set_viewport_size({"width": width, "height": 900})
    visitor.open("/c/models/")
    count, is_ordered = visitor.page.evaluate(ORDER)
    assert count >= 3
    assert is_ordered
    visitor.look()
