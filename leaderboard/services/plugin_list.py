"""All plugins of this server, for the page that lists them: answered at once, looked for behind.

Looking takes a second or more, because each plugin is loaded in the sandbox. So the last answer is
given for as long as there is one, and one that is older than a minute has somebody look again.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import NamedTuple

from django.core.cache import cache
from django.db import connection

from leaderboard.sandbox import PluginDescription
from leaderboard.services.plugin_metrics import known_metrics
from leaderboard.services.plugins import known_scorers
from leaderboard.services.text_metrics import known_text_metrics
from leaderboard.version import VERSION

logger = logging.getLogger(__name__)

KEY = f"plugin-list:{VERSION}"
FRESH_SECONDS = 60
KEPT_SECONDS = 24 * 3600


_one_at_a_time = threading.Lock()


class PluginList(NamedTuple):
    """Each kind as its own service lists it, and when that was, in seconds of the epoch."""

    scorers: list[PluginDescription]
    metrics: list[PluginDescription]
    text_metrics: list[PluginDescription]
    at: float


def known_plugins() -> PluginList:
    """The last list. Only if there is none, waits for whoever looks already, or looks."""
    found: PluginList | None = cache.get(KEY)
    if found is None:
        with _one_at_a_time:
            return cache.get(KEY) or _look()
    if time.time() - found.at > FRESH_SECONDS:
        look_again()
    return found


def look_again() -> None:
    """Look for plugins in the background, unless somebody does."""
    if cache.add(f"{KEY}:looking", True, FRESH_SECONDS):
        threading.Thread(target=_look_quietly, name="plugins", daemon=True).start()


def _look_quietly() -> None:
    try:
        with _one_at_a_time:
            _look()
    except Exception:
        logger.exception("plugins could not be looked for")
    finally:
        connection.close()


def _look() -> PluginList:
    found = PluginList(known_scorers(), known_metrics(), known_text_metrics(), time.time())
    cache.set(KEY, found, KEPT_SECONDS)
    return found
