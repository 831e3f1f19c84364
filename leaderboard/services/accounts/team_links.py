"""Links with which a captain invites people to a team, one person per link."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, Entry, OneTimeLink, User
from leaderboard.schemas.registration import RegistrationAnswers
from leaderboard.services.accounts.one_time_links import (
    LIFETIMES,
    digest_of,
    new_code,
    open_link,
    use_link,
)
from leaderboard.services.competition.teams.membership import (
    check_may_invite,
    join,
    lock_registration,
)
from leaderboard.services.errors import ServiceError

TEAM = OneTimeLink.Purpose.TEAM


def make_team_link(challenge: Challenge, captain: User) -> tuple[OneTimeLink, str]:
    """A new link into the captain's team, and its code, which cannot be read again.

    It works as long as they are the captain. Raises ServiceError.
    """
    entry = check_may_invite(challenge, captain)
    code = new_code()
    link = OneTimeLink.objects.create(
        purpose=TEAM,
        challenge=challenge,
        participant=entry.participant,
        label=entry.participant.shown_name[:254],
        made_by=captain,
        digest=digest_of(code),
        expires_at=timezone.now() + LIFETIMES[TEAM],
    )
    return link, code


def join_by_link(
    link: OneTimeLink, user: User, answers: RegistrationAnswers | None = None
) -> Entry:
    """Use the link up and make the user a member of its team. Raises ServiceError."""
    if link.challenge is None or link.participant is None:
        raise _not_valid()
    with transaction.atomic():
        lock_registration(link.challenge, link.participant)
        use_link(link)
        return join(link.challenge, link.participant, user, answers)


def join_by_code(
    challenge: Challenge, code: str, user: User, answers: RegistrationAnswers | None = None
) -> Entry:
    """The same by the code of a link, which must belong to this challenge."""
    link = open_link(code)
    if link is None or link.purpose != TEAM or link.challenge_id != challenge.pk:
        raise _not_valid()
    return join_by_link(link, user, answers)


def _not_valid() -> ServiceError:
    return ServiceError("not_found", _("This link is not valid any more."))
