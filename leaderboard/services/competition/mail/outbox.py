"""Outgoing mail: rows that are written with what they tell of, and deleted once they are sent.

Any process may be killed at any line: a lease expires, and the next sends. So each mail is sent at
least once. The process that wrote a mail sends it in the background; sweeps send what is left.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import partial
from typing import Final

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.urls import reverse

from leaderboard.http.links import public_address
from leaderboard.messages.mail import run_soon
from leaderboard.messages.mail_each import send_each
from leaderboard.models import Letter, OutgoingMail

PAUSES: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 300, 840))
"""The pauses after the first, second, … failed try; after the last one a mail is given up."""
LEASE: Final = timedelta(minutes=2)
MOST_AT_ONCE: Final = 1_000
MOST_REFUSED: Final = 1_000
"""The most refused addresses that a letter remembers."""
SALT: Final = "leaderboard.unsubscribe"
ALL: Final = "all"
"""In place of a kind: every kind that users may switch off."""

logger = logging.getLogger(__name__)


def can_send() -> bool:
    """Whether this process has a mail server, or a console in its place."""
    return not settings.EMAIL_BACKEND.endswith(".dummy.EmailBackend")


def send_later(mails: Iterable[OutgoingMail]) -> None:
    """Write mails in the transaction of the caller; they are sent after it, in the background.

    Where no mail is sent, none is written.
    """
    if can_send() and OutgoingMail.objects.bulk_create(mails, batch_size=500):
        transaction.on_commit(partial(run_soon, send_waiting_mail))


def send_left_mail() -> None:
    """Send in the background what is due, if anything is: what a killed process has left."""
    if can_send() and _due().exists():
        run_soon(send_waiting_mail)


def send_waiting_mail() -> int:
    """Send the mails that are due over one connection; returns how many were tried."""
    tried, claimed = 0, list[OutgoingMail]()
    for sent in send_each(_messages(claimed)) if can_send() else ():
        _note(claimed.pop(), sent.reason)
        tried += 1
    return tried


def unsubscribe_path(user: int, kind: str) -> str:
    """The path where one click, without signing in, switches mail of a kind off."""
    return reverse("unsubscribe", args=[signing.dumps([user, kind], salt=SALT)])


def unsubscribed(token: str) -> tuple[int, str] | None:
    """The id of the user and the kind of a link; None if it is not genuine."""
    try:
        user, kind = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return user, kind


def _due() -> QuerySet[OutgoingMail]:
    free = Q(lease_until=None) | Q(lease_until__lt=Now())
    return OutgoingMail.objects.filter(free, due_at__lte=Now())


def _messages(claimed: list[OutgoingMail]) -> Iterator[EmailMessage]:
    """Claim one mail after another by a conditional UPDATE; the last one is in `claimed`."""
    for _ in range(MOST_AT_ONCE):
        mail = _claimed()
        if mail is None:
            return
        claimed.append(mail)
        yield _message(mail)


def _claimed() -> OutgoingMail | None:
    while True:
        pk = _due().order_by("due_at", "pk").values_list("pk", flat=True).first()
        if pk is None:
            return None
        if _due().filter(pk=pk).update(lease_until=Now() + LEASE, tries=F("tries") + 1):
            return OutgoingMail.objects.select_related("letter").get(pk=pk)


def _message(mail: OutgoingMail) -> EmailMessage:
    text, headers = mail.text, {}
    if mail.letter is not None:
        text = f"{mail.letter.text.rstrip()}\n\n-- \n{text}"
    if mail.kind and mail.user_id and settings.PUBLIC_URL:
        address = public_address(unsubscribe_path(mail.user_id, mail.kind))
        headers["List-Unsubscribe"] = f"<{address}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return EmailMessage(
        mail.subject,
        text,
        settings.DEFAULT_FROM_EMAIL,
        to=[mail.address],
        reply_to=[mail.reply_to] if mail.reply_to else None,
        headers=headers,
    )


def _note(mail: OutgoingMail, reason: str) -> None:
    """Delete a mail that is sent or given up; a refusal by a code of 5xx is final."""
    rows = OutgoingMail.objects.filter(pk=mail.pk)
    if reason:
        logger.warning("a mail could not be sent", extra={"error": reason})
        if not reason.startswith("5") and mail.tries <= len(PAUSES):
            rows.update(lease_until=None, due_at=Now() + PAUSES[mail.tries - 1])
            return
    with transaction.atomic():
        rows.delete()
        if mail.letter_id is not None:
            _note_letter(mail.letter_id, mail.address, reason)


def _note_letter(pk: int, address: str, reason: str) -> None:
    letter = Letter.objects.select_for_update().get(pk=pk)
    letter.sent += not reason
    if reason and len(letter.refused) < MOST_REFUSED:
        letter.refused.append({"address": address, "reason": reason})
    letter.save(update_fields=["sent", "refused"])
    if not OutgoingMail.objects.filter(letter=pk).exists():
        Letter.objects.filter(pk=pk).update(ended_at=Now())
