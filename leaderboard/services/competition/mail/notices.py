"""Mail to single users about roles that others gave them, and about requests to merge teams."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from leaderboard.http.links import public_address
from leaderboard.languages.translation import ENGLISH
from leaderboard.models import Challenge, Entry, OutgoingMail, Participant, User
from leaderboard.schemas.choices import ChallengeRoleName, NoticeKind, NoticeWay
from leaderboard.services.competition.mail.outbox import send_later


@dataclass(frozen=True)
class Mail:
    """The subject and the text of a mail, in the active language."""

    subject: str
    text: str


def tell_of_role(challenge: Challenge, user: User, role: str, *, by: User | None) -> None:
    """Tell a user that somebody has given them a role, and how to leave it."""
    if by is None or by.pk != user.pk:
        tell([user], lambda: _of_role(challenge, role, by))


def _of_role(challenge: Challenge, role: str, by: User | None) -> Mail:
    if role == ChallengeRoleName.ORGANISER:
        text = _(
            "{name} has made you an organiser of the challenge {challenge}. You may change"
            " everything in it.\n\nYour account page shows the role. There you can also leave it:"
            " {account}"
        )
    else:
        text = _(
            "{name} has made you a reviewer of the challenge {challenge}. You see what its"
            " organisers see, and change nothing.\n\nYour account page shows the role. There you"
            " can also leave it: {account}"
        )
    subject = _("{challenge}: you have a role").format(challenge=challenge.name)
    name = by.username if by else _("The operator")
    account = public_address(reverse("account"))
    return Mail(subject, text.format(name=name, challenge=challenge.name, account=account))


def tell_of_merge_request(challenge: Challenge, team: Participant, into: Participant) -> None:
    """Tell the captain of a team that another team asks to become a part of it."""
    names = {"team": team.shown_name, "into": into.shown_name}

    def mail() -> Mail:
        text = _(
            "The team {team} asks to become a part of your team {into} in the challenge"
            " {challenge}.\n\nAccept or refuse on the page of your team: {page}"
        )
        subject = _("{challenge}: a team asks to merge with yours")
        return mail_about(challenge, "team", subject, text, **names)

    tell(captains_of(challenge, into), mail)


def tell_of_merge_answer(
    challenge: Challenge, team: Participant, into: Participant, asked_by: User | None, *, yes: bool
) -> None:
    """Tell the captain who asked for a merge what the other captain has answered."""
    names = {"team": team.shown_name, "into": into.shown_name}

    def mail() -> Mail:
        if yes:
            text = _(
                "The captain of {into} has accepted: {team} is now a part of {into} in the"
                " challenge {challenge}.\n\nThe page of your team: {page}"
            )
        else:
            text = _(
                "The captain of {into} has refused to merge with {team} in the challenge"
                " {challenge}.\n\nThe page of your team: {page}"
            )
        subject = _("{challenge}: the answer to your request")
        return mail_about(challenge, "team", subject, text, **names)

    if asked_by is not None:
        tell([asked_by], mail)


def with_switch(mail: Mail) -> Mail:
    """The mail with the address where such mail is switched off."""
    page = public_address(reverse("account-mail"))
    end = _("You can switch such mail off: {page}").format(page=page)
    return Mail(mail.subject, f"{mail.text}\n\n-- \n{end}")


def captains_of(challenge: Challenge, participant: Participant) -> list[User]:
    """The captains of a team."""
    entries = Entry.objects.current().filter(challenge=challenge, participant=participant)
    captains = entries.filter(role=Entry.Role.CAPTAIN).select_related("user")
    return [captain.user for captain in captains]


def mail_about(challenge: Challenge, page: str, subject: str, text: str, **values: object) -> Mail:
    """A mail with the name of a challenge and the address of one of its pages (`challenge-people`).

    subject, text: with `{challenge}`, `{page}`, and the names of the values.
    """
    address = public_address(reverse(page, args=[challenge.slug]))
    texts = {"challenge": challenge.name, "page": address, **values}
    return Mail(subject.format(**texts), text.format(**texts))


def tell(
    users: Iterable[User],
    mail: Callable[[], Mail],
    *,
    kind: NoticeKind | None = None,
    challenge: UUID | None = None,
) -> None:
    """Send the mail to those who have an address, each in the language that they read.

    kind: one of which users get mail only if they want it at once, of this challenge too; the mail
    then says where to switch it off. It is written now, and sent in the background after the
    transaction.
    """
    receivers: dict[str, User] = {}
    for user in users:
        wants = kind is None or user.way_of(kind, challenge) is NoticeWay.NOW
        if user.is_active and user.email and wants:
            receivers.setdefault(user.email, user)
    made: dict[str, Mail] = {}
    for language in {user.language or ENGLISH for user in receivers.values()}:
        with translation.override(language):
            made[language] = mail() if kind is None else with_switch(mail())
    send_later(
        OutgoingMail(
            user=user,
            address=address,
            subject=" ".join(made[user.language or ENGLISH].subject.split()),
            text=made[user.language or ENGLISH].text,
            kind=kind or "",
        )
        for address, user in sorted(receivers.items())
    )
