"""Which threads serve a request: some must be free when all others are busy.

Health checks have threads of their own, so that a busy server is not taken for a dead one. So have
forms that run plugins and uploads of result files, which may take seconds, so that they never keep
an attempt waiting.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from django.conf import settings

HEALTH: Final = ("/healthz", "/readyz")
TRIALS: Final = ("/plugins/", "/admin/leaderboard/challenge/")
"""Where forms run a plugin; the same forms of the admin save challenges."""

OWN_PLUGINS: Final = ("/manage/script/", "/manage/plugins/", "/plugins/")
"""Where scripts are tried, and the plugins of a challenge are unpacked and described."""

IMPORTS: Final = ("/imports/", "/submit/file/", "/gate/")
"""Where result files are read, which takes memory: at most two at a time in a process."""


class Lane(Enum):
    """A group of threads of a web process."""

    MAIN = "main"
    HEALTH = "health"
    TRIALS = "trials"
    IMPORTS = "imports"
    CROWDED = "crowded"
    """Further changes of a challenge that has taken most threads already (`crowds`)."""

    @property
    def threads(self) -> int:
        return {Lane.MAIN: 8, Lane.HEALTH: 1, Lane.TRIALS: 2, Lane.IMPORTS: 2, Lane.CROWDED: 2}[
            self
        ]


def lane_of(method: str, path: str) -> Lane:
    """The threads that serve a request. path: as it was sent, with or without our prefix."""
    inside = path.partition("?")[0]
    if settings.PREFIX and inside.startswith(f"{settings.PREFIX}/"):
        inside = inside.removeprefix(settings.PREFIX)
    if inside in HEALTH:
        return Lane.HEALTH
    if method in ("GET", "HEAD"):
        return Lane.MAIN
    if inside.startswith(TRIALS) or inside.endswith(OWN_PLUGINS):
        return Lane.TRIALS
    return Lane.IMPORTS if inside.endswith(IMPORTS) else Lane.MAIN
