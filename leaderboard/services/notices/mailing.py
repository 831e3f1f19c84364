"""Makes mails of the notices that are due: those at once, and those of a day together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from django.db.models.functions import Now
from django.utils import translation
from django.utils.translation import ngettext

from leaderboard.http.links import public_address
from leaderboard.languages.translation import ENGLISH
from leaderboard.models import Notice, OutgoingMail, User
from leaderboard.services.competition.mail.notices import Mail, with_switch
from leaderboard.services.competition.mail.outbox import ALL, can_send, send_later, send_left_mail
from leaderboard.services.notices.texts import path_of, sentence_of
from leaderboard.services.one_by_one import one_by_one
from leaderboard.services.transactions import retried

USERS_AT_ONCE: Final = 500


def mail_notices() -> int:
    """Make the mails that are due, and send what is left of outgoing mail; returns how many."""
    if not can_send():  # perhaps another worker can
        return 0
    due = Notice.objects.filter(mail_at__lte=Now()).order_by().values_list("user", flat=True)
    users = list(due.distinct()[:USERS_AT_ONCE])
    made = sum(one_by_one(lambda user: retried(partial(_mail_to, user)), users))
    send_left_mail()
    return made


def _mail_to(pk: int) -> bool:
    user = User.objects.get(pk=pk)
    due = Notice.objects.filter(user=pk, mail_at__lte=Now()).select_related("challenge")
    notices = list(due.order_by("at", "pk"))
    mine = Notice.objects.filter(pk__in=[notice.pk for notice in notices], mail_at__isnull=False)
    if mine.update(mail_at=None) != len(notices):
        return False  # another worker has made the mail
    unread = [notice for notice in notices if notice.read_at is None]
    if not (unread and user.is_active and user.email):
        return False
    with translation.override(user.language or ENGLISH):
        mail = with_switch(_mail(unread))
    kinds = {notice.kind for notice in unread}
    kind = kinds.pop() if len(kinds) == 1 else ALL
    made = OutgoingMail(user=user, address=user.email, kind=kind)
    made.subject, made.text = mail.subject, mail.text
    send_later([made])
    return True


def _mail(notices: Sequence[Notice]) -> Mail:
    """A mail with a paragraph for each notice."""
    first, count = notices[0], len(notices)
    if count == 1:
        subject = f"{first.challenge.name}: {sentence_of(first)}"
    else:
        subject = ngettext("{count} notice", "{count} notices", count).format(count=count)
    paragraphs = (
        f"{notice.challenge.name}: {sentence_of(notice)}\n{public_address(path_of(notice))}"
        for notice in notices
    )
    return Mail(" ".join(subject.split()), "\n\n".join(paragraphs))
