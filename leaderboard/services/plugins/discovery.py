"""Lists of plugins in the cache, where an incomplete list never becomes the truth.

While the kernel kills sandboxes for memory, a search finds only a part of the plugins. Then plugins
of an earlier whole list stay known, the search is soon repeated, and a plugin that is not in the
list may still exist. A module that fails for ten minutes is taken to be broken.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from django.core.cache import cache

from leaderboard.rules.failures import OF_THE_HOST
from leaderboard.rules.texts.messages import Message
from leaderboard.sandbox import Failure, PluginDescription, SandboxError

KEPT_SECONDS: Final = 60
DOUBTED_SECONDS: Final = 3
"""How long an incomplete list is kept: each search takes a second or more."""
DOUBTED_AT_MOST: Final = 600.0
REMEMBERED_SECONDS: Final = 24 * 3600
MISSED: Final = "plugins-missed"
"""The key of the period, in seconds since the epoch, in which a list was incomplete until it was
whole again."""

Plugins = Sequence[PluginDescription]


def discovered(
    key: str,
    stamp: str,
    search: Callable[[], list[PluginDescription]],
    arrange: Callable[[Plugins], list[PluginDescription]],
    away: Message,
) -> list[PluginDescription]:
    """The arranged plugins of a search, cached. Where it fails, those of an earlier search.

    key: of the cache. stamp: changes with the files of the plugins, whose list is then searched
    anew. away: the error of a list that could not be asked for.
    """
    current = f"{key}:{stamp}"
    arranged: list[PluginDescription] | None = cache.get(current)
    if arranged is not None:
        return arranged
    is_away = False
    try:
        plugins = search()
    except SandboxError as error:
        is_away = True
        plugins = [PluginDescription("", error=Failure("load_error", away, str(error)))]
    if any(map(_is_doubtful, plugins)):
        since = cache.get_or_set(_since(key), time.time, REMEMBERED_SECONDS) or time.time()
        plugins = _completed(plugins, cache.get(_whole(key)) or [])
        kept = DOUBTED_SECONDS if time.time() - since < DOUBTED_AT_MOST else KEPT_SECONDS
    else:
        kept = KEPT_SECONDS
        _remember(key, plugins)
    arranged = arrange(plugins)
    if not is_away:
        cache.set(current, arranged, kept)
    return arranged


def may_lack_some(key: str, plugins: Plugins) -> bool:
    """Whether a plugin that is not in the list may exist nevertheless."""
    if not any(map(_is_doubtful, plugins)):
        return False
    since: float | None = cache.get(_since(key))
    return since is None or time.time() - since < DOUBTED_AT_MOST


def is_whole(plugins: Plugins) -> bool:
    """Whether every plugin of the list could be asked."""
    return not any(map(_is_doubtful, plugins))


def _is_doubtful(plugin: PluginDescription) -> bool:
    """Whether a description fails for a reason that may lie in the host."""
    return plugin.error is not None and (
        plugin.entrypoint == "" or plugin.error.code in OF_THE_HOST
    )


def _completed(plugins: Plugins, earlier: Plugins) -> list[PluginDescription]:
    """The plugins, with those of an earlier list in the places of those that could not be asked."""
    modules = {_module(described) for described in earlier}
    completed: list[PluginDescription] = []
    for plugin in plugins:
        if not _is_doubtful(plugin):
            completed.append(plugin)
        elif ":" not in plugin.entrypoint and plugin.entrypoint not in modules:
            # The names of the modules could not be asked for, or the module is new.
            entrypoints = {described.entrypoint for described in plugins}
            completed += [
                described for described in earlier if described.entrypoint not in entrypoints
            ] or [plugin]
        else:
            completed += _of(plugin, earlier) or [plugin]
    return completed


def _of(plugin: PluginDescription, earlier: Iterable[PluginDescription]) -> Plugins:
    """The earlier descriptions of a plugin, or of the plugins of a module."""
    name = plugin.entrypoint
    return [
        described for described in earlier if name in (described.entrypoint, _module(described))
    ]


def _module(plugin: PluginDescription) -> str:
    return plugin.entrypoint.partition(":")[0]


def _remember(key: str, plugins: Plugins) -> None:
    cache.set(_whole(key), plugins, REMEMBERED_SECONDS)
    since: float | None = cache.get(_since(key))
    if since is not None:
        cache.delete(_since(key))
        first = min(since, (cache.get(MISSED) or (since,))[0])
        cache.set(MISSED, (first, time.time()), REMEMBERED_SECONDS)


def _whole(key: str) -> str:
    return f"{key}:whole"


def _since(key: str) -> str:
    return f"{key}:incomplete-since"
