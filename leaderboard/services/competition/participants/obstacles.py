"""What stands in the way of a user who wants to submit, told before they try."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.translation import gettext as _

from leaderboard.models import Challenge, Registration, User
from leaderboard.schemas.choices import RegistrationStatus
from leaderboard.services.competition.participants.registration import registration_of
from leaderboard.services.competition.participants.taking_part import (
    RegistrationBatch,
    registers_by_attempt,
    rules_of,
)
from leaderboard.services.competition.roles import check_takes_part
from leaderboard.services.errors import ServiceError


class Obstacle(NamedTuple):
    """Why a user cannot submit. reason: what organisers wrote, "" if nothing.

    registers: whether the page of registration helps.
    """

    why: str
    reason: str = ""
    registers: bool = True


def obstacle_of(challenge: Challenge, user: User) -> Obstacle | None:
    """Why any attempt of the user would be refused; None if nothing is known.

    Organisers submit at any time: do not ask for them.
    """
    try:
        check_takes_part(user, challenge)
    except ServiceError as refused:
        return Obstacle(refused.message, registers=False)
    registration = registration_of(challenge, user)
    if registration is None:
        if registers_by_attempt(rules_of(challenge)):
            return None
        return Obstacle(_("You are not registered for this challenge."))
    return _of_registration(challenge, user, registration)


def _of_registration(
    challenge: Challenge, user: User, registration: Registration
) -> Obstacle | None:
    if registration.disqualified_at is not None:
        return Obstacle(
            _("You are disqualified in this challenge."), registration.disqualified_reason
        )
    if registration.status == RegistrationStatus.DECLINED:
        return Obstacle(_("Your registration was declined."), registration.reason)
    if registration.status == RegistrationStatus.PENDING:
        return Obstacle(_("An organiser has not accepted your registration yet."))
    entry = RegistrationBatch(challenge, user, organiser=False)
    entry.find([registration.participant_id])
    if why := entry.why_not(registration.participant):
        return Obstacle(why)
    return None
