"""Links from the rules of a challenge to the pages of the plugins that it uses."""

from __future__ import annotations

import sys
from typing import NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.models import User
from leaderboard.rules.plugins.own import is_own, written
from leaderboard.services.plugins.catalogue import known_plugins
from leaderboard.services.plugins.descriptions import PluginDescription
from leaderboard.services.plugins.metric_registry import family
from leaderboard.services.plugins.sources import is_public
from leaderboard.services.plugins.tenants import visible_plugins
from leaderboard.version import VERSION
from scorers.metrics.registry import shipped


class PluginLink(NamedTuple):
    """The page of a plugin, and what a reader finds there."""

    url: str
    text: str
    version: str


def link_to(request: HttpRequest, plugin: PluginDescription | None) -> PluginLink | None:
    """A link to a plugin; None if there is no page that the reader may see."""
    user = request.user if isinstance(request.user, User) else None
    if plugin is None or ":" not in plugin.entrypoint or not visible_plugins(user, [plugin]):
        return None
    if is_own(written(plugin.entrypoint)):
        return None  # Only the organisers of its challenge have a page of it.
    text = _("Source and settings") if is_public(plugin) else _("About this plugin")
    is_ours = is_public(plugin) and not plugin.public_source
    version = _("from Podium {version}").format(version=VERSION) if is_ours else ""
    return PluginLink(reverse("plugin", args=[plugin.entrypoint]), text, version)


def metric_of(type_: str) -> PluginDescription | None:
    """The metric of a type such as `pass@3`, as far as a link needs it; None if there is none."""
    try:
        kind = shipped().get(type_)
    except KeyError:
        names = {type_, family(type_)}
        return next((metric for metric in known_plugins().metrics if metric.name in names), None)
    # The class of pass@3 is made from that of pass@K, which is the one in the file.
    own = next(
        base for base in kind.__mro__ if hasattr(sys.modules[base.__module__], base.__name__)
    )
    return PluginDescription(f"{own.__module__}:{own.__name__}", type_)
