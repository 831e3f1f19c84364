"""Sends mail to the participants of a challenge."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.utils.translation import gettext as _

from leaderboard.mail import run_soon
from leaderboard.models import Challenge, Entry, Registration
from leaderboard.schemas.choices import RegistrationStatus
from leaderboard.services.errors import invalid

LONGEST_SUBJECT = 150
LONGEST_TEXT = 20_000


def write_to_all(
    challenge: Challenge, *, subject: str, text: str, status: RegistrationStatus
) -> int:
    """Send a mail to each member of the registrations with a status; returns their number.

    Each person gets a message of their own, in the background. Raises ServiceError.
    """
    subject = subject.strip()
    if not 1 <= len(subject) <= LONGEST_SUBJECT or not subject.isprintable():
        said = _("must be one line of 1 to {most} characters")
        raise invalid("subject", said.format(most=LONGEST_SUBJECT), got=subject)
    if not 1 <= len(text.strip()) <= LONGEST_TEXT:
        said = _("must have 1 to {most} characters; got {length}")
        raise invalid("text", said.format(most=LONGEST_TEXT, length=len(text)))
    addresses = _addresses(challenge, status)
    run_soon(partial(send_each, f"{challenge.name}: {subject}", text, addresses))
    return len(addresses)


def _addresses(challenge: Challenge, status: RegistrationStatus) -> list[str]:
    registered = Registration.objects.filter(challenge=challenge, status=status)
    members = Entry.objects.current().filter(
        challenge=challenge,
        participant__in=registered.values("participant"),
        user__is_active=True,
    )
    found = members.exclude(user__email="").values_list("user__email", flat=True)
    return sorted(set(found))


def send_each(subject: str, text: str, addresses: Sequence[str]) -> None:
    """Send the mail to each address on its own."""
    sender = settings.DEFAULT_FROM_EMAIL
    messages = [EmailMessage(subject, text, sender, to=[address]) for address in addresses]
    get_connection().send_messages(messages)
