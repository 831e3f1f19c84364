"""Descriptions of plugins for pages: they are cached, and an error never fails the page."""

from __future__ import annotations

from django.core.cache import cache

from leaderboard.rules.plugins.own import placed
from leaderboard.rules.texts.messages import message
from leaderboard.sandbox import Failure, PluginDescription, SandboxError
from leaderboard.services.plugins import sandboxes
from leaderboard.services.plugins.discovery import (
    DOUBTED_SECONDS,
    KEPT_SECONDS,
    discovered,
    is_whole,
)
from leaderboard.services.plugins.stamps import current_stamps

__all__ = ["PluginDescription", "described", "known_scorers"]


def described(entrypoint: str, *, now: bool = False, package: str = "") -> PluginDescription:
    """Describe a scorer, or say why it fails; cached for a minute. now: ignore the cache.

    package: the upload of the challenge that names it.
    """
    entrypoint = placed(entrypoint, package)
    key = f"scorer:{entrypoint}:{current_stamps().scorers}"
    description: PluginDescription | None = None if now else cache.get(key)
    if description is None:
        try:
            description = sandboxes.describe(entrypoint)
        except SandboxError as error:
            return PluginDescription(entrypoint, error=Failure("load_error", _AWAY, str(error)))
        cache.set(key, description, KEPT_SECONDS if is_whole([description]) else DOUBTED_SECONDS)
    return description


def known_scorers() -> list[PluginDescription]:
    """Every scorer that challenges may name here; cached for a minute, until a file changes."""
    stamp = current_stamps().scorers
    return discovered("known-scorers", stamp, sandboxes.discover, list, _AWAY)


_AWAY = message("Scorers cannot be asked on this server at the moment.")
