"""Fixtures of the tests in a browser."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from leaderboard.messages import queue
from leaderboard.models import Tenant, User
from tests.browser.verses import Verses, make_verses
from tests.browser.visitor import Visitor
from tests.browser.world import PASSWORD
from tests.people import organiser_of, tenant

__all__ = ["tenant"]


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


@pytest.fixture
def visitor(chromium: Browser, live_server: LiveServer) -> Iterator[Visitor]:
    visitor = Visitor(chromium, live_server.url)
    yield visitor
    visitor.close()


@pytest.fixture
def organiser(tenant: Tenant) -> User:
    return organiser_of(tenant, "ben", password=PASSWORD)


@pytest.fixture
def verses(monkeypatch: pytest.MonkeyPatch, live_server: LiveServer) -> Verses:
    """The server runs beside the test; the test itself acts as the worker."""
    monkeypatch.setattr(queue, "_send", lambda *_: True)
    return make_verses()
