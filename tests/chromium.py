"""Debian's Chromium, driven by Playwright, which is imported only when it is used."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first has no user interface, and takes less than half of the time of the others."""
# Only requests of the page: otherwise Chromium contacts hosts of its own.
QUIET = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
]


def installed() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def running_chromium(path: str) -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    # Chromium's own sandbox refuses to run as root.
    rights = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*QUIET, *rights])
        yield browser
        browser.close()
