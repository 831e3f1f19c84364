"""The place of a waiting attempt in the queue, as text."""

from __future__ import annotations

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.languages.translation import count_text
from leaderboard.pages.labels.row_labels import duration
from leaderboard.services.scoring.queue_position import QueuePosition


def queue_place(place: QueuePosition) -> str:
    """How many attempts come before a waiting one, and when its scoring may begin, as text."""
    if place.ahead == 0:
        return _("It is the next one in the queue.")
    ahead = _ahead(place).format(count=count_text(place.ahead))
    if place.expected_start is None:
        return ahead
    left = max(1.0, (place.expected_start - timezone.now()).total_seconds())
    start = _("At the present speed scoring starts in about {duration}.")
    return f"{ahead} {start.format(duration=duration(left))}"


def _ahead(place: QueuePosition) -> str:
    if place.is_least:
        return ngettext(
            "More than {count} attempt comes before it in the queue.",
            "More than {count} attempts come before it in the queue.",
            place.ahead,
        )
    return ngettext(
        "{count} attempt comes before it in the queue.",
        "{count} attempts come before it in the queue.",
        place.ahead,
    )
