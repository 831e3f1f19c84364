"""A new user's way from the list of challenges to an own rank, in a real browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.visitor import OpenVisitor, Visitor
from tests.browser.world import PASSWORD, World, make_world
from tests.helpers.attempts import score_all
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER


@pytest.fixture
def world() -> World:
    return make_world()


@pytest.mark.journey
def test_a_new_user_reaches_a_rank(visitor: Visitor, world: World, live_server: LiveServer) -> None:
    page = visitor.page

    visitor.open("/")
    visitor.look()
    page.get_by_role("link", name="Prompt escape").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Prompt escape")
    page.get_by_text("How sure, and how it is made").click()
    expect(page.get_by_text("highest score wins")).to_be_visible()
    first = page.get_by_role("row").nth(1)
    expect(first.locator(".rank")).to_have_text("1")
    leader = first.get_by_role("rowheader").inner_text()
    visitor.look()

    page.get_by_label("Search participants").press_sequentially("atl")
    expect(page.get_by_role("row")).to_have_count(2)
    expect(page).to_have_url(f"{live_server.url}/c/prompt-escape/?q=atl")
    page.get_by_label("Search participants").fill("")
    expect(page.get_by_role("row")).not_to_have_count(2)

    page.get_by_role("row").nth(1).get_by_title("The attempt that counts").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Attempt by {leader}")
    expect(page.get_by_role("row", name="Rating contribution")).to_be_visible()
    visitor.look()

    sign_in(page)
    token = make_token(page)
    visitor.look()

    attempt = submit(live_server.url, token)
    visitor.open(attempt["html_url"])
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    visitor.look()
    score_all()
    expect(page.get_by_text("Waiting for a worker")).to_have_count(0)
    expect(page.locator("dl.figures")).to_contain_text("1 of 11")
    visitor.look()

    page.get_by_role("link", name="Prompt escape").click()
    expect(page.get_by_role("row").nth(1).get_by_role("rowheader")).to_contain_text("Newcomer")


def sign_in(page: Page, name: str = "ben") -> None:
    page.get_by_role("link", name="Sign in").click()
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def make_token(page: Page) -> str:
    page.get_by_label("Name").fill("my laptop")
    page.get_by_role("button", name="Make the token").click()
    return page.locator("#token").inner_text()


def submit(url: str, token: str) -> dict[str, str]:
    """Submit an attempt as a user's program does; return the attempt as the API answers it."""
    metrics = {"succeeded": True, "rating": 10, "elapsed_ms": 900, "tokens_total": 100}
    request = Request(
        f"{url}/api/v1/challenges/prompt-escape/attempts/",
        json.dumps({"participant": "Newcomer", "metrics": metrics}).encode(),
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    with urlopen(request, timeout=60) as answer:
        assert answer.status == 202
        accepted: dict[str, str] = json.load(answer)
    assert accepted["status"] == "queued"
    return accepted


@pytest.mark.parametrize(("scheme", "phone"), [("light", True), ("dark", False)])
def test_every_page_is_accessible(
    open_visitor: OpenVisitor,
    world: World,
    screenshots: Path,
    scheme: str,
    phone: bool,
) -> None:
    """There is no axe failure, no CSP violation, no third party, and no overflow of the window."""
    visitor = open_visitor(scheme=scheme, phone=phone)
    form = f"{scheme}-{'phone' if phone else 'wide'}"
    for number, path in enumerate(world.paths):
        visitor.open(path)
        visitor.look()
        visitor.page.screenshot(path=screenshots / f"{form}-{number:02}.png")
    visitor.sign_in()
    for number, path in enumerate(world.own_paths):
        visitor.open(path)
        visitor.look()
        visitor.page.screenshot(path=screenshots / f"{form}-own-{number:02}.png")


def test_pages_of_organisers_are_accessible(visitor: Visitor, world: World) -> None:
    """They are in both themes, and fit a window of 320 pixels, as at a zoom of 400 %."""
    visitor.sign_in("ann")
    for path in world.organised_paths:
        visitor.open(path)
        visitor.look()
        visitor.look_in_dark()
        if not path.startswith("/admin/"):
            visitor.page.set_viewport_size({"width": 320, "height": 800})
            visitor.measure()
            visitor.page.set_viewport_size({"width": 1280, "height": 900})
    # Widgets of Django set styles, which our policy blocks; axe cannot read a sheet of the admin.
    django = ("Applying inline style", "preload assets", "404 (Not Found)")
    visitor.complaints = [
        complaint
        for complaint in visitor.complaints
        if not any(text in complaint for text in django)
    ]


def test_the_focus_is_seen_on_its_way(visitor: Visitor, world: World) -> None:
    for path in ("/c/lock-house/", "/c/lock-house/tradeoff/", "/c/lock-house/tasks/", "/api/docs/"):
        visitor.open(path)
        visitor.focus_all(25)


def test_no_page_is_wider_than_its_window(visitor: Visitor, world: World) -> None:
    for path in world.paths:
        visitor.open(path)
        for width in (320, 600, 840, 1000, 1100):
            visitor.page.set_viewport_size({"width": width, "height": 800})
            visitor.measure()


def test_a_missing_page_is_accessible(visitor: Visitor, world: World) -> None:
    visitor.page.goto("/nowhere/")
    visitor.look()
    assert "404 (Not Found)" in visitor.complaints.pop()


@pytest.mark.journey
def test_everything_works_without_javascript(open_visitor: OpenVisitor, world: World) -> None:
    visitor = open_visitor(javascript=False)
    page = visitor.page
    visitor.open("/c/prompt-escape/")
    page.get_by_label("Search participants").fill("atl")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("row")).to_have_count(2)
    page.get_by_role("link", name="Rating").click()
    expect(page).to_have_url(re.compile(r"/c/prompt-escape/\?q=atl&sort=-rating$"))
    sign_in(page)
    assert make_token(page).startswith("pod_")
    visitor.open("/c/prompt-escape/submit/")
    page.get_by_label("Participant").fill("By hand")
    page.get_by_label("Succeeded").select_option("yes")
    page.get_by_label("Rating").fill("9.5")
    page.get_by_role("button", name="Submit the attempt").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Attempt by By hand")
    score_all()
    page.get_by_role("link", name="look again").click()
    expect(page.locator("dl.figures")).to_contain_text("Scored")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()


@pytest.mark.parametrize("phone", [False, True], ids=["wide", "phone"])
def test_a_result_file_is_previewed_and_imported(
    open_visitor: OpenVisitor, world: World, phone: bool
) -> None:
    visitor = open_visitor(phone=phone, javascript=False)
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/lock-house/submit/file/")
    rewards = {"opened": 1.0, "doors": 80.5}
    sample = {"task": "doors/0", "sample": 0, "rewards": rewards}
    line = json.dumps({"participant": "By file", "samples": [sample]}).encode()
    file = {"name": "run.jsonl", "mimeType": "application/jsonl", "buffer": line}
    page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    page.get_by_role("button", name="Look at it first").click()
    expect(page.get_by_text("been saved yet")).to_be_visible()
    visitor.measure()
    page.get_by_role("button", name="Submit 1 attempt").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Attempt by By file")
    score_all()
    page.get_by_role("link", name="look again").click()
    expect(page.get_by_role("row", name="Doors Mean reward")).to_contain_text("80.5%")
    visitor.measure()


def test_the_keyboard_can_skip_the_header(visitor: Visitor, world: World) -> None:
    visitor.open("/c/prompt-escape/")
    visitor.page.keyboard.press("Tab")
    skip = visitor.page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.get_by_role("main")).to_be_focused()
