"""The versions of the scoring of a challenge, on its page in the admin."""

from __future__ import annotations

from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from leaderboard.models import Challenge
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.services.challenges.directions import direction_warnings
from leaderboard.services.challenges.rescores import progress_of
from leaderboard.services.evaluation.metric_names import warnings_of_names

SHOWN_VERSIONS = 50


def versions_of(challenge: Challenge | None) -> PageContext:
    """What the template shows of the versions; nothing of a new challenge."""
    if challenge is None:
        return {}
    configs = challenge.configs.select_related("created_by", "references").order_by("-number")
    configs = configs.prefetch_related("editions")
    return {
        "versions": configs[:SHOWN_VERSIONS],
        "progress": progress_of(challenge.newest),
        "shown": challenge.shown,
        "newest": challenge.newest,
        "warnings": [
            *warnings_of_names(challenge),
            *direction_warnings(challenge.newest, challenge.columns),
        ],
    }


def version_text(challenge: Challenge) -> str:
    """The message about a new version, with a link to score all attempts under it."""
    current, newest = challenge.shown.number, challenge.newest.number
    text = _("This is scoring version {number}.").format(number=newest)
    if current == newest:
        return text
    return format_html(
        '{} {} <a class="button" href="{}">{}</a>',
        text,
        _("The board shows version {number} until every attempt is scored again.").format(
            number=current
        ),
        reverse("admin:leaderboard_challenge_rescore", args=[challenge.pk]),
        _("Rescore…"),
    )
