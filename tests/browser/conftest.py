"""A real browser: Debian's Chromium, driven by Playwright against a server of this process."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Nothing but what a page asks for: Chromium looks up hosts of its own otherwise.
QUIET = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("Chromium is not on PATH: apt-get install chromium")
    # Chromium's own sandbox refuses to run as root.
    rights = ["--no-sandbox"] if os.geteuid() == 0 else []
    browser = playwright.chromium.launch(executable_path=path, args=[*QUIET, *rights])
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """Where the browser tests leave pictures of what they saw; kept for whoever looks."""
    folder = Path(os.environ.get("SCREENSHOTS") or tempfile.mkdtemp(prefix="podium-screenshots-"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
