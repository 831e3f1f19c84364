"""Name conflicts between plugins: the first one wins, the rest report an error."""

from __future__ import annotations

from dataclasses import replace

from django.conf import settings

from leaderboard.sandbox import Failure, PluginDescription


def place_of(plugin: PluginDescription) -> tuple[int, str]:
    """A sort key that puts packages in the order of SCORER_PACKAGES before other installed ones."""
    packages = list(settings.SCORER_PACKAGES)
    package = plugin.entrypoint.split(":")[0].split(".")[0]
    place = packages.index(package) if package in packages else len(packages)
    return place, plugin.entrypoint


def too_late(plugin: PluginDescription, why: str) -> PluginDescription:
    """The plugin with the error that its name is taken. why: the message of the error."""
    return replace(plugin, error=Failure("load_error", why))
