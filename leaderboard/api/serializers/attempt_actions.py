from __future__ import annotations

from leaderboard.api.fields import JsonText, StrictSerializer
from leaderboard.services.attempts.retry import LONGEST_REASON


class ReasonSerializer(StrictSerializer):
    """Why an attempt is cancelled or withdrawn."""

    reason = JsonText(
        max_length=LONGEST_REASON,
        required=False,
        allow_blank=True,
        default="",
        help_text="Shown with the attempt. An organiser who withdraws an attempt has to give one.",
    )
