"""The source code of plugins: its text for readers who may see it, and its hash.

No plugin is imported or run. Other packages of `services` take from here what they need of the
sandbox's host: only `plugins` imports it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from django.conf import settings

from leaderboard.rules.plugins.descriptions import SHIPPED
from leaderboard.sandbox import PluginDescription
from leaderboard.sandbox.host.fork_servers import PROJECT
from leaderboard.sandbox.host.installed import installed_entrypoints
from leaderboard.sandbox.host.scoring import CODE_TRIES
from leaderboard.sandbox.host.sources import code_of, combined, file_of
from leaderboard.services.plugins.sandboxes import uploads_path

__all__ = [
    "CODE_TRIES",
    "code_now_of",
    "combined",
    "installed_entrypoints",
    "is_public",
    "source_of",
]

MOST_BYTES: Final = 200_000
"""Longer files are not shown."""


def code_now_of(entrypoint: str) -> str:
    """The code of a plugin in its files now: their hash; "" if they cannot be read."""
    path = tuple(map(str, settings.SCORER_PATH))
    return code_of(entrypoint, settings.SCORER_PACKAGES, path, PROJECT, str(uploads_path()))


def is_public(plugin: PluginDescription) -> bool:
    """Whether everybody may read a plugin: it comes with Podium, or declares itself public."""
    return plugin.public_source or _module(plugin) in SHIPPED


def source_of(plugin: PluginDescription) -> str:
    """The text of a plugin's file; "" if it is in no package of plugins, or too long.

    A module name that is not made of identifiers could lead out of the folders, so it has no file.
    """
    module = _module(plugin)
    parts = module.split(".")
    if parts[0] not in settings.SCORER_PACKAGES or not all(map(str.isidentifier, parts)):
        return ""
    path = () if module in SHIPPED else tuple(map(str, settings.SCORER_PATH))
    file = Path(file_of(module, settings.SCORER_PACKAGES, path, PROJECT))
    if file.suffix == ".py" and file.stat().st_size <= MOST_BYTES:
        return file.read_text(errors="replace")
    return ""


def _module(plugin: PluginDescription) -> str:
    return plugin.entrypoint.partition(":")[0]
