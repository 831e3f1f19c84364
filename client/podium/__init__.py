"""A client of Podium, a self-hosted leaderboard for evaluations.

import podium

challenge = podium.connect("https://podium.example.org", token="…").challenge("exams")
attempt = challenge.submit("attempt.json", participant="atlas", wait=True)[0]
rows = challenge.leaderboard()
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from podium.version import VERSION

if TYPE_CHECKING:
    from podium.challenges import Challenge
    from podium.errors import PodiumError, Refused, Unreachable
    from podium.servers import Server, connect

__version__ = VERSION
__all__ = ["Challenge", "PodiumError", "Refused", "Server", "Unreachable", "connect"]

MODULES: Final = {
    "Challenge": "challenges",
    **dict.fromkeys(("PodiumError", "Refused", "Unreachable"), "errors"),
    **dict.fromkeys(("Server", "connect"), "servers"),
}


def __getattr__(name: str) -> Any:
    """Import what is used, so that the command starts without the rest."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"podium.{MODULES[name]}"), name)
