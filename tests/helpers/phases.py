"""The phase of a challenge: as the API shows one that declares none, and with fields of a test."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from leaderboard.models import Challenge
from leaderboard.services.board.standings.filling import fill_boards
from leaderboard.services.challenges.challenges import change_challenge

MAIN_PHASE: Final[dict[str, Any]] = {
    "slug": "main",
    "name": "",
    "time_zone": "UTC",
    "opens_at": None,
    "closes_at": None,
    "grace_seconds": 0,
    "per_day": None,
    "per_week": None,
    "per_month": None,
    "total": None,
    "at_once": None,
    "file_mib": None,
    "count_failed": True,
    "limits_per": "account",
    "board": "public",
    "scores": "shown",
    "attempts": "public",
    "names": "shown",
    "notes": "auto",
    "counting": None,
    "counted": None,
    "choose_until": None,
    "freezes_at": None,
    "reveals_at": None,
    "own_while_frozen": True,
    "decimals": None,
    "scores_delayed": False,
    "least_coverage": None,
    "least_improvement": None,
    "significant_improvement": False,
    "final_part": "private",
    "overlaps": False,
    "face": False,
}


def set_phase(challenge: Challenge, **fields: Any) -> None:
    """Let a challenge have one phase with these fields, and fill its boards."""
    written = {
        name: field.isoformat() if isinstance(field, datetime) else field
        for name, field in fields.items()
    }
    change_challenge(challenge, user=None, fields={"phases": [{"slug": "main", **written}]})
    fill_boards(challenge)
