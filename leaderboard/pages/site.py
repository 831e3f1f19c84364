"""What every page knows of the site."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from leaderboard.pages.labels import duration
from leaderboard.services.scoring.rate import Delay, scoring_delay


def site(request: HttpRequest) -> dict[str, Any]:
    """Context processor: the name that the operator gave the site, and what everybody should know.

    It is not called `site_name`, because Django's sign-in view puts the host under that name.
    """
    return {"site_title": settings.SITE_NAME, "site_notice": site_notice}


def site_notice() -> str:
    """Whether scoring is delayed, in a sentence. Asked for by templates that say so."""
    return notice_of(scoring_delay())


def notice_of(delay: Delay | None) -> str:
    """A delay in a sentence; "" is none."""
    if delay is None:
        return ""
    if not delay.works:
        return "Scoring is delayed: no worker is running. What you submit is kept until one does."
    waited = duration(delay.seconds)
    return f"Scoring is delayed: attempts have waited for {waited}. What you submit is kept."
