"""Letters: mail of organisers to the people who take part in a challenge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from leaderboard.http.links import public_address
from leaderboard.languages.translation import ENGLISH
from leaderboard.messages.mail import run_soon
from leaderboard.models import Attempt, Challenge, Entry, Letter, OutgoingMail, Registration, User
from leaderboard.schemas.choices import RegistrationStatus
from leaderboard.services.competition.mail.outbox import send_waiting_mail
from leaderboard.services.errors import invalid

LONGEST_SUBJECT: Final = 150
LONGEST_TEXT: Final = 20_000
SHOWN: Final = 5


@dataclass(frozen=True)
class Audience:
    """Whom a letter is for. bracket: "" for all. without_attempts: only those who have none."""

    status: RegistrationStatus = RegistrationStatus.ACCEPTED
    bracket: str = ""
    without_attempts: bool = False


class Receiver(NamedTuple):
    """An address, its owner, and the language that they read."""

    address: str
    user: int
    language: str


def write_to_all(
    challenge: Challenge,
    audience: Audience,
    *,
    subject: str,
    text: str,
    by: User | None,
    reply_to: str = "",
    page: str = "",
) -> Letter:
    """Send a mail to each member of some registrations, in the background.

    Each person gets a message of their own, which ends with a link to the challenge (`page`: its
    address). Answers go to `reply_to`, or to the confirmed address of the organiser. Raises
    ServiceError.
    """
    subject = subject.strip()
    if not 1 <= len(subject) <= LONGEST_SUBJECT or not subject.isprintable():
        error_text = _("must be one line of 1 to {most} characters")
        raise invalid("subject", error_text.format(most=LONGEST_SUBJECT), got=subject)
    if not 1 <= len(text.strip()) <= LONGEST_TEXT:
        error_text = _("must have 1 to {most} characters; got {length}")
        raise invalid("text", error_text.format(most=LONGEST_TEXT, length=len(text)))
    receivers = _receivers(challenge, audience)
    answers_to = _checked_address(reply_to) or (address_of(by) if by else "")
    page = page or public_address(reverse("board", args=[challenge.slug]))
    with transaction.atomic():
        letter = Letter.objects.create(
            challenge=challenge, by=by, subject=subject, text=text, addresses=len(receivers)
        )
        if not receivers:
            Letter.objects.filter(pk=letter.pk).update(ended_at=Now())
        copies = _copies(challenge, letter, receivers, answers_to, page)
        OutgoingMail.objects.bulk_create(copies, batch_size=500)
    run_soon(send_waiting_mail)
    return letter


def newest_letters(challenge: Challenge) -> Sequence[Letter]:
    """The letters that were sent last, with `by`."""
    return list(Letter.objects.filter(challenge=challenge).select_related("by")[:SHOWN])


def address_of(user: User) -> str:
    """The confirmed address of a user, or else the one that they were given; "" for none."""
    confirmed = EmailAddress.objects.filter(user=user, verified=True).order_by("-primary", "pk")
    address = confirmed.values_list("email", flat=True).first()
    return address or user.email


def _checked_address(address: str) -> str:
    address = address.strip()
    try:
        if address:
            validate_email(address)
    except ValidationError:
        raise invalid("reply_to", _("must be an e-mail address"), got=address) from None
    return address


def _receivers(challenge: Challenge, audience: Audience) -> list[Receiver]:
    """One for each address, by language and address."""
    registered = Registration.objects.filter(challenge=challenge, status=audience.status)
    if audience.bracket:
        registered = registered.filter(bracket=audience.bracket)
    if audience.without_attempts:
        theirs = Attempt.objects.filter(challenge=challenge, participant=OuterRef("participant"))
        registered = registered.filter(~Exists(theirs))
    members = Entry.objects.admitted().filter(
        challenge=challenge,
        participant__in=registered.values("participant"),
        user__is_active=True,
    )
    columns = "user__email", "user", "user__language"
    rows = members.exclude(user__email="").values_list(*columns)
    by_address = {
        address: Receiver(address, user, language or ENGLISH) for address, user, language in rows
    }
    return sorted(by_address.values(), key=lambda receiver: (receiver.language, receiver.address))


def _copies(
    challenge: Challenge, letter: Letter, receivers: Sequence[Receiver], answers_to: str, page: str
) -> Iterator[OutgoingMail]:
    """A copy of the letter for each receiver, of which the text is only what stands below it."""
    subject = " ".join(f"{challenge.name}: {letter.subject}".split())
    by = (letter.by.get_full_name() or letter.by.username) if letter.by else ""
    for language, group in groupby(receivers, key=lambda receiver: receiver.language):
        with translation.override(language):
            end = _end(challenge, by, page)
        for receiver in group:
            yield OutgoingMail(
                letter=letter,
                user_id=receiver.user,
                address=receiver.address,
                reply_to=answers_to,
                subject=subject,
                text=end,
            )


def _end(challenge: Challenge, by: str, page: str) -> str:
    """What stands below the text: who writes, and where the challenge is."""
    if by:
        text = _("{name} organises the challenge {challenge}, in which you take part: {page}")
    else:
        text = _("You take part in the challenge {challenge}: {page}")
    return text.format(name=by, challenge=challenge.name, page=page)
