"""Debian's Chromium, driven by Playwright, which is imported only when it is used."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first has no user interface, and takes less than half of the time of the others."""
PATIENCE_MS = 60_000
"""How long a page may take: much longer than any does, because the machine may be busy."""
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


class OneChromium:
    """A browser for all modules of a process: a start takes longer than many tests.

    Playwright's event loop belongs to this thread as long as the browser runs. Outside of `lent`
    Python does not see it as running, so that other tests may run loops of their own.
    """

    def __init__(self, path: str) -> None:
        self._running = running_chromium(path)

    def __enter__(self) -> Self:
        self._browser = self._running.__enter__()
        self._loop = asyncio._get_running_loop()
        asyncio._set_running_loop(None)
        return self

    def __exit__(self, *error: Any) -> None:
        asyncio._set_running_loop(self._loop)
        self._running.__exit__(*error)

    @contextmanager
    def lent(self) -> Iterator[Browser]:
        """Let a module use the browser, and close its pages."""
        asyncio._set_running_loop(self._loop)
        try:
            yield self._browser
            for context in self._browser.contexts:
                context.close()
        finally:
            asyncio._set_running_loop(None)


@contextmanager
def running_chromium(path: str) -> Iterator[Browser]:
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)
    # Chromium's own sandbox refuses to run as root.
    rights = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=[*QUIET, *rights], timeout=2 * PATIENCE_MS
        )
        yield browser
        browser.close()
