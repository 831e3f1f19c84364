"""What the tests in a browser share."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from leaderboard import queue
from tests.browser.verses import Verses, make_verses
from tests.browser.visitor import Visitor


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """Where the browser tests leave pictures of what they saw; kept for whoever looks."""
    folder = Path(os.environ.get("SCREENSHOTS") or tempfile.mkdtemp(prefix="podium-screenshots-"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def visitor(chromium: Browser, live_server: LiveServer) -> Iterator[Visitor]:
    visitor = Visitor(chromium, live_server.url)
    yield visitor
    visitor.close()


@pytest.fixture
def verses(monkeypatch: pytest.MonkeyPatch, live_server: LiveServer) -> Verses:
    """The server answers beside the test; the worker is the test itself."""
    monkeypatch.setattr(queue, "_send", lambda *_: True)
    return make_verses()
