"""The plugins of an upload: what a challenge has of its own, as they describe themselves.

An upload is a package (`rules.plugins.own`) in a folder of its name below `uploads_path`, which
`services.challenge_code` fills. Its folder says of what kind a plugin is: metrics of rewards are in
`metrics`, text metrics in `text`, all others are scorers.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple

from django.core.cache import cache

from leaderboard.rules.plugins.kinds import KINDS
from leaderboard.rules.plugins.own import OWN
from leaderboard.rules.texts.messages import message
from leaderboard.sandbox import Failure, PluginDescription, SandboxError
from leaderboard.services.plugins.discovery import DOUBTED_SECONDS, is_whole
from leaderboard.services.plugins.sandboxes import sandbox, uploads_path

OwnKind = Literal["scorer", "metric", "text_metric"]

KEPT_SECONDS: Final = 24 * 3600
MOST_SECONDS: Final = 20.0
"""How long the plugins of an upload are asked, which a web process waits for."""
_FOLDERS: Final[dict[str, OwnKind]] = {"metrics": "metric", "text": "text_metric"}
_AWAY: Final = message("Plugins cannot be asked on this server at the moment.")
_TOO_LONG: Final = message("This module was not asked, because the others took too long.")


def without_places(detail: str, package: str) -> str:
    """A traceback whose files and modules are named as organisers know them."""
    return detail.replace(f"{folder_of(package)}/", "").replace(package, OWN)


class OwnPlugin(NamedTuple):
    """A plugin of an upload. A module that cannot be asked is one with its error."""

    kind: OwnKind
    description: PluginDescription


def folder_of(package: str) -> Path:
    """The folder with the files of an upload."""
    return uploads_path() / package / package


def own_plugins(package: str) -> list[OwnPlugin]:
    """The plugins of an upload, by kind and name; [] for no package.

    They are asked in the sandbox once, because the files of an upload never change.
    """
    if not package:
        return []
    key = f"own-plugins:{package}"
    stored: list[tuple[OwnKind, PluginDescription]] | None = cache.get(key)
    if stored is not None:
        return [OwnPlugin(*pair) for pair in stored]
    plugins = list(_asked(package))
    is_certain = is_whole([plugin.description for plugin in plugins])
    seconds = KEPT_SECONDS if is_certain else DOUBTED_SECONDS
    cache.set(key, [tuple(plugin) for plugin in plugins], seconds)
    return plugins


def own_plugin(package: str, kind: OwnKind, name: str) -> PluginDescription | None:
    """The usable plugin of an upload with a name; None without one. Ids of texts ignore case."""
    usable = [
        plugin.description
        for plugin in own_plugins(package)
        if plugin.kind == kind and plugin.description.error is None
    ]
    if kind == "text_metric":
        name = name.casefold()
        return next((metric for metric in usable if metric.name.casefold() == name), None)
    return next((plugin for plugin in usable if plugin.name == name), None)


def _asked(package: str) -> Iterator[OwnPlugin]:
    until = time.monotonic() + MOST_SECONDS
    order = list(KINDS)
    modules = sorted(_modules(package), key=lambda pair: (order.index(pair[1]), pair[0]))
    for module, kind in modules:
        if time.monotonic() > until:
            late = Failure("timeout", _TOO_LONG)
            yield OwnPlugin(kind, PluginDescription(module, error=late))
            continue
        try:
            described = sandbox("asking").describe_module(module, kind)
        except SandboxError as error:
            away = Failure("load_error", _AWAY, str(error))
            described = [PluginDescription("", error=away)]
        yield from (OwnPlugin(kind, description) for description in described)


def _modules(package: str) -> Iterator[tuple[str, OwnKind]]:
    """The public modules of an upload, from its files alone."""
    folder = folder_of(package)
    for path in folder.rglob("*.py"):
        parts = list(path.relative_to(folder).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        if not any(part.startswith("_") for part in parts):
            kind = _FOLDERS.get(parts[0], "scorer") if parts else "scorer"
            yield ".".join([package, *parts]), kind
