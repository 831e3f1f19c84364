"""An organiser changes the metrics, tasks and references of a challenge in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from tests.browser.visitor import PHONE, OpenVisitor, Visitor
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER
PAGES = ("metrics", "tasks", "references", "settings")
TASKS: list[dict[str, Any]] = [
    {"name": "regex-parser", "group": "text", "rewards": ["solved", "style"]},
    {"name": "git-bisect", "group": "tools", "rewards": ["solved"], "weight": 2},
    {"name": "a-task-with-a-rather-long-name-that-does-not-fit", "rewards": ["solved"]},
]


@pytest.fixture
def bench(tenant: Tenant, organiser: User) -> Challenge:
    fields = {
        "name": "Bench",
        "scoring_strategy": "metric",
        "metrics": [
            {"type": "pass@1", "reward": "solved"},
            {"type": "mean", "name": "style", "reward": "style"},
        ],
        "text_metrics": ["CHRF"],
        "rank_by": [{"key": "pass@1"}],
        "tasks": TASKS,
        "rewards": [{"name": "style", "min": 0, "max": 10}],
    }
    return create_challenge(tenant=tenant, user=organiser, fields=fields)


def photographed(visitor: Visitor, screenshots: Path, name: str) -> None:
    """Look for faults and keep pictures, wide and on a phone."""
    visitor.look()
    visitor.page.screenshot(path=screenshots / f"{name}-wide.png", full_page=True)
    wide = visitor.page.viewport_size
    visitor.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    visitor.look()
    visitor.page.screenshot(path=screenshots / f"{name}-phone.png", full_page=True)
    visitor.page.set_viewport_size(wide)  # type: ignore[arg-type]


def test_every_part_is_changed(visitor: Visitor, screenshots: Path, bench: Challenge) -> None:
    page = visitor.page
    visitor.sign_in()
    for part in PAGES:
        visitor.open(f"/c/bench/manage/{part}/")
        photographed(visitor, screenshots, f"manage-{part}")

    visitor.open("/c/bench/manage/metrics/")
    page.get_by_role("button", name="Add a metric").click()
    fresh = page.locator("#metrics fieldset").last
    fresh.locator("select[name$='.type']").select_option("pass^K")
    expect(fresh.locator("input[name$='.k']")).to_be_visible()
    fresh.locator("input[name$='.k']").fill("3")
    fresh.locator("input[name$='.name']").fill("steady")
    fresh.locator("input[name$='.name']").blur()
    expect(page.locator("#preview th", has_text="steady").first).to_be_visible()
    expect(page.get_by_text("Saving makes version 2")).to_be_visible()
    photographed(visitor, screenshots, "manage-metrics-more")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The changes are saved.")).to_be_visible()

    visitor.open("/c/bench/manage/tasks/")
    page.get_by_role("button", name="Remove git-bisect").click()
    page.get_by_text("Add tasks from a list or a CSV file").click()
    page.get_by_label("Paste a list").fill("make-build: solved\ntar-unpack: solved")
    page.get_by_role("button", name="Read the list").click()
    expect(page.locator("#tasks input[value='tar-unpack']")).to_be_visible()
    photographed(visitor, screenshots, "manage-tasks-more")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The changes are saved.")).to_be_visible()

    visitor.open("/c/bench/manage/references/")
    text = b"id,input,expected-output\n1,One,Eins\n2,Two,Zwei\n"
    sent = {"name": "expected.csv", "mimeType": "text/csv", "buffer": text}
    page.get_by_label("File with the expected outputs").set_input_files(sent)  # type: ignore[arg-type]
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("holds 2 instances")).to_be_visible()

    newest = Challenge.objects.get(pk=bench.pk).newest
    assert [spec.name for spec in newest.metric_specs] == ["pass@1", "style", "steady"]
    names = [task["name"] for task in newest.tasks]
    assert names == [TASKS[0]["name"], TASKS[2]["name"], "make-build", "tar-unpack"]
    assert newest.references_id is not None


@pytest.mark.usefixtures("bench")
def test_rows_are_added_without_javascript(open_visitor: OpenVisitor) -> None:
    visitor = open_visitor(javascript=False)
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/bench/manage/metrics/")
    page.get_by_role("button", name="Add a text metric").click()
    page.locator("#text-metrics fieldset").last.get_by_label("Text metric").select_option("F1")
    page.get_by_role("button", name="Show the board").click()
    expect(page.locator("#preview th", has_text="F1")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The changes are saved.")).to_be_visible()
