"""Notices in words, and the pages that they lead to."""

from __future__ import annotations

from typing import Final

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from leaderboard.models import Notice

_SENTENCES: Final = {
    "accepted": gettext_noop("A reviewer has accepted an attempt."),
    "returned": gettext_noop("A reviewer has returned an attempt."),
    "ruled": gettext_noop("A reviewer has decided about a sample of an attempt."),
    "answered": gettext_noop("An appeal is answered."),
    "undone": gettext_noop("A decision about an attempt is taken back."),
    "disqualified": gettext_noop("Your participant is disqualified."),
    "reinstated": gettext_noop("Your participant is reinstated."),
    "announced": gettext_noop("News: {title}"),
    "opened": gettext_noop("{phase} has opened."),
    "closed": gettext_noop("{phase} has closed."),
    "moved": gettext_noop("Dates of {phase} have changed."),
    "appealed": gettext_noop("An appeal waits for an answer."),
    "held": gettext_noop("Attempts are held, because code has changed. Decide how to go on."),
    "rank": gettext_noop("Your rank has fallen to {rank}, which is more than chance explains."),
}
_STATUSES: Final = {
    "accepted": gettext_noop("Your registration is accepted."),
    "declined": gettext_noop("Your registration is declined."),
    "pending": gettext_noop("Your registration waits for a decision again."),
}
_PAGES: Final = {
    "decided": "register",
    "disqualified": "register",
    "reinstated": "register",
    "announced": "challenge-announcements",
    **dict.fromkeys(("opened", "closed", "moved"), "rules"),
    **dict.fromkeys(("registered", "appealed"), "challenge-people"),
}
"""The pages of a challenge that notices lead to; others lead to its board."""


def sentence_of(notice: Notice) -> str:
    """A notice in the active language, without the name of its challenge."""
    what, body = notice.what, notice.body
    count = body.get("count", 1)
    if what == "scored":
        text = ngettext("An attempt is scored.", "{count} attempts are scored.", count)
    elif what == "failed":
        text = ngettext("An attempt has failed.", "{count} attempts have failed.", count)
    elif what == "judged":
        text = ngettext(
            "An attempt has begun or ceased to count by the rules of admission.",
            "{count} attempts have begun or ceased to count by the rules of admission.",
            count,
        )
    elif what == "registered":
        text = ngettext(
            "A registration waits for a decision.",
            "{count} registrations wait for a decision.",
            count,
        )
    elif what == "decided":
        text = _(_STATUSES[body["status"]])
    elif what == "rank" and "best" in body:
        text = _(
            "Your rank has fallen to {rank} ({best} to {worst} are possible), which is more than"
            " chance explains."
        )
    else:
        text = _(_SENTENCES[what])
    return text.format(**{"count": count, **body})


def path_of(notice: Notice) -> str:
    """The path of the page that a notice leads to."""
    attempt = notice.body.get("attempt")
    if attempt and notice.body.get("count", 1) == 1:
        return reverse("attempt", args=[attempt])
    page = reverse(_PAGES.get(notice.what, "board"), args=[notice.challenge.slug])
    phase = notice.body.get("phase") if notice.what == "rank" else None
    return f"{page}?phase={phase}" if phase else page
