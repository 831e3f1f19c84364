"""Mail about webhooks that do not work."""

from __future__ import annotations

from django.utils.translation import gettext as _

from leaderboard.models import Challenge, User
from leaderboard.services.competition.mail.notices import Mail, mail_about, tell


def tell_of_disabled(challenge: Challenge, user: User | None, host: str) -> None:
    """Tell who made a webhook that it is no longer called."""

    def mail() -> Mail:
        text = _(
            "The webhook of the challenge {challenge} at {host} does not take messages, so it is"
            " no longer called. When it works again, enable it: {page}"
        )
        subject = _("{challenge}: a webhook is disabled")
        return mail_about(challenge, "manage-webhooks", subject, text, host=host)

    if user is not None:
        tell([user], mail)
