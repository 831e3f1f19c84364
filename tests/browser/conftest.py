"""Fixtures of the tests in a browser."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from leaderboard.messages import queue
from leaderboard.models import Tenant, User
from tests.browser.verses import Verses, make_verses
from tests.browser.visitor import OpenVisitor, Visitor
from tests.browser.world import PASSWORD
from tests.people import organiser_of, tenant

__all__ = ["tenant"]

Photo = Callable[[str], None]


@pytest.fixture(autouse=True)
def _screenshots_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take screenshots only if SCREENSHOTS names a folder, because each takes 0.1 s."""
    if not os.environ.get("SCREENSHOTS"):
        monkeypatch.setattr(Page, "screenshot", lambda self, **options: b"")


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """A folder in which the browser tests leave screenshots for inspection: SCREENSHOTS."""
    folder = Path(os.environ.get("SCREENSHOTS") or tempfile.mkdtemp(prefix="podium-screenshots-"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(autouse=True)
def _the_test_is_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let attempts wait until the test scores them, beside the server."""
    monkeypatch.setattr(queue, "_send", lambda *_: True)


@pytest.fixture
def open_visitor(chromium: Browser, live_server: LiveServer) -> Iterator[OpenVisitor]:
    """Open windows with the options of `Visitor`; the test fails if one of them had complaints."""
    visitors: list[Visitor] = []

    def opened(*, home: str = live_server.url, **options: Any) -> Visitor:
        visitors.append(Visitor(chromium, home, **options))
        return visitors[-1]

    yield opened
    for visitor in visitors:
        visitor.close()
    assert [visitor.complaints for visitor in visitors if visitor.complaints] == []


@pytest.fixture
def visitor(open_visitor: OpenVisitor) -> Visitor:
    return open_visitor()


@pytest.fixture(params=["light-phone", "dark-wide"])
def any_visitor(request: pytest.FixtureRequest, open_visitor: OpenVisitor) -> Visitor:
    return in_window(request.param, open_visitor)


def in_window(kind: str, open_visitor: OpenVisitor, **options: Any) -> Visitor:
    if kind == "light-phone":
        return open_visitor(phone=True, **options)
    visitor = open_visitor(scheme="dark", **options)
    visitor.page.set_viewport_size({"width": 1440, "height": 900})
    return visitor


@pytest.fixture
def photo(any_visitor: Visitor, request: pytest.FixtureRequest, screenshots: Path) -> Photo:
    """Look for faults in the window of `any_visitor`, and keep a picture: `photo("sign-in")`."""

    def taken(name: str) -> None:
        any_visitor.look()
        path = screenshots / f"{request.node.callspec.params['any_visitor']}-{name}.png"
        any_visitor.page.screenshot(path=path, full_page=True)

    return taken


@pytest.fixture
def organiser(tenant: Tenant) -> User:
    return organiser_of(tenant, "ben", password=PASSWORD)


@pytest.fixture
def verses() -> Verses:
    return make_verses()
