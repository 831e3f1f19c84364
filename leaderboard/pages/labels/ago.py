"""How long ago something was."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.languages.translation import day_text, exact_moment_text
from leaderboard.pages.labels.row_labels import duration

DAYS: Final = 14
"""A moment that is further back is a day of the calendar."""


def ago(moment: datetime) -> SafeString:
    """A moment as a `<time>` element: `3 hours ago`, or the day if it is weeks ago."""
    seconds = (timezone.now() - moment).total_seconds()
    if seconds < 60:
        text = _("just now")
    elif seconds < DAYS * 86_400:
        text = _("{duration} ago").format(duration=duration(seconds))
    else:
        text = day_text(moment)
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>',
        moment.isoformat(timespec="seconds"),
        exact_moment_text(moment),
        text,
    )
