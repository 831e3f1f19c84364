"""A client of Podium, a self-hosted leaderboard for evaluations.

import podium

challenge = podium.connect("https://podium.example.org", token="…").challenge("exams")
attempt = challenge.submit("attempt.json", participant="atlas", wait=True)[0]
rows = challenge.leaderboard()
"""

from __future__ import annotations

from podium.challenges import Challenge
from podium.errors import PodiumError, Refused, Unreachable
from podium.servers import Server, connect
from podium.version import VERSION

__version__ = VERSION
__all__ = ["Challenge", "PodiumError", "Refused", "Server", "Unreachable", "connect"]
