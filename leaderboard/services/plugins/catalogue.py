"""All plugins of this server, for the page that lists them, found by a search in the background.

The search takes a second or more, because it loads each plugin in the sandbox. So pages get the
last list if there is one, and a list older than a minute starts a new search. A change of a file
renews the list of its kind of plugin at once. Without Redis the list would be lost when the process
ends, so it is also stored in a file.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, cast

from django.core.cache import cache
from django.db import connection

from leaderboard.cache.values import Serializer, Unreadable
from leaderboard.sandbox import PluginDescription
from leaderboard.services.plugins.descriptions import known_scorers
from leaderboard.services.plugins.discovery import is_whole
from leaderboard.services.plugins.metric_registry import known_metrics
from leaderboard.services.plugins.prediction_metrics import known_prediction_metrics
from leaderboard.services.plugins.stamps import Stamps, current_stamps, files_stamps
from leaderboard.services.plugins.text_metrics import known_text_metrics
from leaderboard.version import VERSION

logger = logging.getLogger(__name__)

KEY = f"plugin-list:{VERSION}"
FRESH_SECONDS = 60
KEPT_SECONDS = 24 * 3600


_one_at_a_time = threading.Lock()
_file: Path | None = None


class PluginList(NamedTuple):
    """The plugins of each kind. at: the time of the search, in seconds since the epoch. stamps: the
    written `Stamps` of the plugins' files before it.
    """

    scorers: list[PluginDescription]
    metrics: list[PluginDescription]
    text_metrics: list[PluginDescription]
    prediction_metrics: list[PluginDescription]
    at: float
    stamps: str = ""

    @property
    def by_kind(self) -> tuple[list[PluginDescription], ...]:
        """The lists, in the order of the fields."""
        return self.scorers, self.metrics, self.text_metrics, self.prediction_metrics


def known_plugins() -> PluginList:
    """The last list. If there is none, waits for a running search, or searches."""
    plugins: PluginList | None = cache.get(KEY)
    if plugins is None:
        with _one_at_a_time:
            return cache.get(KEY) or _search()
    if plugins.stamps != current_stamps().written:
        with _one_at_a_time:
            plugins = _renewed(cache.get(KEY) or plugins)
    if time.time() - plugins.at > FRESH_SECONDS:
        search_again()
    return plugins


def _renewed(plugins: PluginList) -> PluginList:
    """The list with those kinds of plugins anew whose files have changed since."""
    stamps = current_stamps()
    before = Stamps(*plugins.stamps.split())
    if stamps == before:
        return plugins
    plugins = plugins._replace(
        scorers=plugins.scorers if stamps.scorers == before.scorers else known_scorers(),
        metrics=plugins.metrics if stamps.metrics == before.metrics else known_metrics(),
        text_metrics=(
            plugins.text_metrics
            if stamps.text_metrics == before.text_metrics
            else known_text_metrics()
        ),
        prediction_metrics=(
            plugins.prediction_metrics
            if stamps.prediction_metrics == before.prediction_metrics
            else known_prediction_metrics()
        ),
        stamps=stamps.written,
    )
    _keep(plugins)
    return plugins


def keep_in(file: Path) -> None:
    """Load the list that an earlier process stored in a file, and store each new list there.

    Ignores a list of another version, a list that is older than a change of the plugins' files, and
    a file that cannot be read or written.
    """
    global _file
    _file = file
    with suppress(OSError, Unreadable, TypeError, ValueError):
        stamp, plugins = Serializer().loads(file.read_bytes())
        if stamp == files_stamps().written and isinstance(plugins, PluginList):
            cache.add(KEY, plugins, KEPT_SECONDS)


def search_again() -> None:
    """Search for plugins in the background, unless a search is running."""
    if cache.add(f"{KEY}:looking", True, FRESH_SECONDS):
        threading.Thread(target=_search_in_background, name="plugins", daemon=True).start()


def _search_in_background() -> None:
    try:
        with _one_at_a_time:
            _search()
    except Exception:  # this is a thread of its own, so no caller would log the error
        logger.exception("the search for plugins failed")
    finally:
        connection.close()


def _search() -> PluginList:
    stamps = current_stamps().written
    plugins = PluginList(
        known_scorers(),
        known_metrics(),
        known_text_metrics(),
        known_prediction_metrics(),
        time.time(),
        stamps,
    )
    _keep(plugins)
    return plugins


def _keep(plugins: PluginList) -> None:
    """Cache the list, and leave it for the next process if every plugin could be asked."""
    whole = all(map(is_whole, plugins.by_kind))
    cache.set(KEY, plugins, KEPT_SECONDS if whole else FRESH_SECONDS)
    if _file is not None and whole:
        _leave(plugins, _file)


def _leave(plugins: PluginList, file: Path) -> None:
    """Write the list for the next process, atomically. Ignores errors."""
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    with suppress(OSError):
        draft.write_bytes(cast(bytes, Serializer().dumps((files_stamps().written, plugins))))
        draft.replace(file)
