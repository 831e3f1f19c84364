"""Mail about webhooks that do not work."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.http.links import public_address
from leaderboard.models import Challenge, User
from leaderboard.services.competition.mail.notices import Mail, tell


def tell_of_disabled(challenge: Challenge, user: User | None, host: str) -> None:
    """Tell who made a webhook that it is no longer called."""

    def mail() -> Mail:
        text = _(
            "The webhook of the challenge {challenge} at {host} does not take messages, so it is"
            " no longer called. When it works again, enable it: {page}"
        )
        subject = _("{challenge}: a webhook is disabled").format(challenge=challenge.name)
        page = public_address(reverse("manage-webhooks", args=[challenge.slug]))
        return Mail(subject, text.format(challenge=challenge.name, host=host, page=page))

    if user is not None:
        tell([user], mail)
