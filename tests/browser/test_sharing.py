"""A visitor finds challenges and participants, and shares a board."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Browser, expect

from leaderboard.models import Challenge, Tenant
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from tests.browser.visitor import Visitor
from tests.helpers.attempts import attempt_of
from tests.helpers.marks import IN_A_BROWSER
from tests.people import organiser_of

pytestmark = IN_A_BROWSER
TIMES = {"Atlas with a very long name that has to be cut": 900, "漢字": 1200, "أطلس": 1500, "d": 9}


@pytest.fixture
def sprint(tenant: Tenant) -> None:
    """A challenge with four participants, and an empty one."""
    ann = organiser_of(tenant, "ann")
    fields = {"name": "Sprint", "scoring_strategy": "fastest"}
    challenge = create_challenge(tenant=tenant, user=ann, fields=fields)
    create_challenge(tenant=tenant, user=ann, fields={**fields, "name": "Empty"})
    for name, elapsed in TIMES.items():
        facts = {"succeeded": True, "elapsed_ms": elapsed}
        attempt_of(ann, challenge, name, metrics=facts)
    single.score_waiting()


@pytest.mark.usefixtures("sprint")
def test_the_list_is_filtered_and_leads_to_participants(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("/")
    visitor.look()
    expect(page.locator(".challenges h3")).to_have_text(["Sprint", "Empty"])
    page.get_by_label("Kind").select_option("Texts")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_text("No challenge matches.")).to_be_visible()
    page.get_by_role("link", name="Search", exact=True).click()
    page.get_by_role("searchbox").fill("أطلس")
    page.keyboard.press("Enter")
    link = page.get_by_role("link", name="أطلس at Sprint")
    expect(link).to_be_visible()
    visitor.look()
    link.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("أطلس")


@contextmanager
def another_site(html: str) -> Iterator[str]:
    """Serve a page at an address of another origin."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.mark.usefixtures("sprint")
def test_a_board_is_shared_and_framed_elsewhere(visitor: Visitor, chromium: Browser) -> None:
    page = visitor.page
    Challenge.objects.update(is_embeddable=True)
    visitor.open("/c/sprint/")
    page.get_by_text("Share", exact=True).press("Enter")
    frame = page.locator("code", has_text="<iframe").inner_text()
    visitor.look()
    visitor.open("/c/sprint/p/d/")
    page.get_by_text("Badge", exact=True).click()
    badge = page.get_by_role("img", name="The badge of d with rank and value")
    expect(badge).to_be_visible()
    assert badge.evaluate("each => each.naturalWidth") > 100
    visitor.look()
    visitor.open("/embed/c/sprint/")
    visitor.look()
    framed = frame.replace("/embed/c/sprint/", "/c/sprint/")
    elsewhere = chromium.new_page()
    with another_site(f"<!doctype html><title>Elsewhere</title>{frame}{framed}") as address:
        elsewhere.goto(address)
        embedded_page = elsewhere.frame_locator("iframe").first
        expect(embedded_page.get_by_role("link", name="d", exact=True)).to_be_visible()
        refused = elsewhere.frame_locator("iframe").nth(1)
        expect(refused.get_by_role("heading", name="Sprint")).to_have_count(0)
    elsewhere.close()
