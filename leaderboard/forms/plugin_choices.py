"""Plugins as the choices of a form, each with its first sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from django.utils.html import format_html
from django.utils.safestring import SafeString

from leaderboard.languages.docstrings import first_line
from leaderboard.models import User
from leaderboard.services.plugins.descriptions import PluginDescription
from leaderboard.services.plugins.tenants import visible_plugins


def usable_plugins(
    user: User | None, plugins: Iterable[PluginDescription], own: Sequence[PluginDescription] = ()
) -> list[PluginDescription]:
    """The plugins that a user may choose. own: those that the challenge has of its own."""
    offered = chain(own, visible_plugins(user, plugins))
    return [plugin for plugin in offered if plugin.error is None]


def described(name: str, plugin: PluginDescription) -> SafeString:
    """The name of a plugin and the first line of its description."""
    return format_html("<code>{}</code> {}", name, first_line(plugin.doc))
