"""The phase of a challenge that declares none, as the API shows it."""

from __future__ import annotations

from typing import Any, Final

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
