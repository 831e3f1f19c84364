"""Plugins that installed packages offer by entry points."""

from functools import cache
from importlib.metadata import entry_points

from leaderboard.rules.plugins.kinds import KINDS


@cache
def installed_entrypoints(kind: str = "scorer") -> frozenset[str]:
    """`module:Class` of each plugin that installed packages offer.

    Reads the packages' metadata once and imports nothing.
    """
    groups = KINDS[kind].groups
    return frozenset(
        entry_point.value for group in groups for entry_point in entry_points(group=group)
    )
