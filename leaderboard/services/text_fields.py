"""What a challenge says of text evaluation, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leaderboard.services.refused import invalid

DEFAULT_TIMEOUT_MS = 600_000
MAX_TIMEOUT_MS = 24 * 3_600_000


def checked_evaluation(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a scoring config that say how outputs of models are evaluated. Raises Refused.

    `references_id` names instances of the same challenge that are stored already.
    """
    return {
        "text_metrics": fields.get("text_metrics") or [],
        "text_timeout_ms": _checked_timeout(fields.get("text_timeout_ms")),
        "references_id": fields.get("references_id"),
    }


def _checked_timeout(timeout_ms: Any) -> int:
    if timeout_ms is None:
        return DEFAULT_TIMEOUT_MS
    if type(timeout_ms) is not int or not 1 <= timeout_ms <= MAX_TIMEOUT_MS:
        raise invalid("text_timeout_ms", f"must be a whole number from 1 to {MAX_TIMEOUT_MS}")
    return timeout_ms
