"""To whom a name belongs that several plugins have: to the first, and the others are told."""

from __future__ import annotations

from dataclasses import replace

from django.conf import settings

from leaderboard.sandbox import Failure, PluginDescription


def place_of(plugin: PluginDescription) -> tuple[int, str]:
    """Sorts packages in the order of SCORER_PACKAGES before whatever else is installed."""
    packages = list(settings.SCORER_PACKAGES)
    package = plugin.entrypoint.split(":")[0].split(".")[0]
    place = packages.index(package) if package in packages else len(packages)
    return place, plugin.entrypoint


def too_late(plugin: PluginDescription, holder: PluginDescription, what: str) -> PluginDescription:
    """The plugin with the error that its name is another's. what: its kind, with an article."""
    text = (
        f"{what} {plugin.name!r} is already registered "
        f"(existing={holder.entrypoint}, new={plugin.entrypoint})."
    )
    return replace(plugin, error=Failure("load_error", text))
