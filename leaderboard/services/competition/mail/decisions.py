"""Mail about registrations: to those who take part, and to organisers about what waits for them.

The first waiting registration sends a mail at once, the next mail follows after an hour: a class
registers within minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.http.links import public_address
from leaderboard.models import (
    Attempt,
    Challenge,
    ChallengeRole,
    Entry,
    Membership,
    Registration,
    RegistrationRules,
    User,
)
from leaderboard.rules.json.values import JsonObject
from leaderboard.schemas.choices import NoticeKind, RegistrationStatus
from leaderboard.services.competition.mail.notices import Mail, mail_about, tell

EACH: Final = timedelta(hours=1)
"""Organisers get at most one mail an hour about waiting registrations of a challenge."""
MOMENTS: Final[Mapping[str, str | Promise]] = {
    "opens_at": gettext_lazy("opens"),
    "closes_at": gettext_lazy("closes"),
    "freezes_at": gettext_lazy("freezes"),
    "reveals_at": gettext_lazy("is revealed"),
    "choose_until": gettext_lazy("attempts are chosen until"),
}


def tell_of_decision(registration: Registration) -> None:
    """Tell the members that an organiser has accepted or declined them."""
    if registration.status == RegistrationStatus.ACCEPTED:
        text = gettext_lazy("{name} is accepted in the challenge {challenge}.\n\n{page}")
    else:
        text = gettext_lazy(
            "{name} is declined in the challenge {challenge}: {reason}\n\nYou may change the"
            " registration and send it again: {page}"
        )
    _tell_members(registration, text, reason=registration.reason or "–")


def tell_of_member(entry: Entry, *, is_accepted: bool, reason: str) -> None:
    """Tell a new member of a team that an organiser has accepted or declined them."""
    if is_accepted:
        text = gettext_lazy("You take part with {name} in the challenge {challenge}.\n\n{page}")
    else:
        text = gettext_lazy(
            "You were declined as a member of {name} in the challenge {challenge}:"
            " {reason}\n\n{page}"
        )
    mail = _mail(entry.challenge, entry.participant.shown_name, text, reason or "–")
    tell([entry.user], mail, kind=NoticeKind.DECISIONS, challenge=entry.challenge_id)


def tell_of_disqualification(registration: Registration, other_names: Sequence[str] = ()) -> None:
    """Tell the members that they are disqualified, or reinstated.

    other_names: of their participants that are disqualified, or reinstated, with this one.
    """
    if registration.disqualified_at is not None:
        text = gettext_lazy(
            "{name} is disqualified in the challenge {challenge}: {reason}\n\nYou may appeal:"
            " {page}"
        )
    else:
        text = gettext_lazy("{name} is reinstated in the challenge {challenge}.\n\n{page}")
    _tell_members(
        registration, text, reason=registration.disqualified_reason, other_names=other_names
    )


def tell_of_appeal_answer(registration: Registration) -> None:
    """Tell the members what an organiser has answered to their appeal."""
    text = gettext_lazy(
        "The organisers of the challenge {challenge} have answered the appeal of"
        " {name}:\n\n{reason}\n\n{page}"
    )
    _tell_members(registration, text, reason=registration.appeal_answer)


def tell_of_appeal(registration: Registration) -> None:
    """Tell organisers what a disqualified participant answers."""
    challenge, name = registration.challenge, registration.participant.shown_name

    def mail() -> Mail:
        text = _("{name} appeals in the challenge {challenge}:\n\n{appeal}\n\n{page}")
        subject, appeal = _("{challenge}: an appeal"), registration.appeal
        return mail_about(challenge, "challenge-people", subject, text, name=name, appeal=appeal)

    tell(organisers_of(challenge), mail, kind=NoticeKind.WAITING, challenge=challenge.pk)


def tell_of_waiting(challenge: Challenge) -> None:
    """Tell organisers that registrations or new members wait, unless they were told less than an
    hour ago.

    `tell_of_later_waiting` tells them of those that come within the hour.
    """
    rules = RegistrationRules.objects.filter(challenge=challenge)
    due = rules.filter(Q(waiting_told_at=None) | Q(waiting_told_at__lt=Now() - EACH))
    if not due.update(waiting_told_at=Now()):
        return
    pending = waiting_in(challenge)

    def mail() -> Mail:
        text = ngettext(
            "{count} registration waits for a decision in the challenge {challenge}: {page}",
            "{count} registrations wait for a decision in the challenge {challenge}: {page}",
            pending,
        )
        subject = _("{challenge}: registrations wait")
        return mail_about(challenge, "challenge-people", subject, text, count=pending)

    tell(organisers_of(challenge), mail, kind=NoticeKind.WAITING, challenge=challenge.pk)


def tell_of_later_waiting() -> None:
    """Tell organisers of the registrations that came after the last mail, once an hour is over."""
    newer = Registration.objects.filter(
        challenge=OuterRef("challenge"),
        status=RegistrationStatus.PENDING,
        created_at__gt=OuterRef("waiting_told_at"),
    )
    newer_members = Entry.objects.current().filter(
        challenge=OuterRef("challenge"), is_waiting=True, joined_at__gt=OuterRef("waiting_told_at")
    )
    due = RegistrationRules.objects.filter(waiting_told_at__lt=Now() - EACH)
    for rules in due.filter(Exists(newer) | Exists(newer_members)).select_related("challenge"):
        tell_of_waiting(rules.challenge)


def waiting_in(challenge: Challenge) -> int:
    """How many registrations, and new members of teams, wait for a decision of organisers."""
    pending = Registration.objects.filter(challenge=challenge, status=RegistrationStatus.PENDING)
    members = Entry.objects.current().filter(challenge=challenge, is_waiting=True)
    return pending.count() + members.count()


def tell_of_dates(
    challenge: Challenge, before: Mapping[str, JsonObject], after: Mapping[str, JsonObject]
) -> None:
    """Tell those who take part that dates of phases have changed. The phases by slug."""
    changed = {
        slug: (before[slug], after[slug])
        for slug in before.keys() & after.keys()
        if any(before[slug].get(name) != after[slug].get(name) for name in MOMENTS)
    }
    if not changed or challenge.is_draft:
        return

    def mail() -> Mail:
        text = _("Dates of the challenge {challenge} have changed:\n\n{changes}\n\n{page}")
        lines = [line for slug in sorted(changed) for line in _lines(slug, *changed[slug])]
        subject = _("{challenge}: changed dates")
        return mail_about(challenge, "rules", subject, text, changes="\n".join(lines))

    registered = Registration.objects.filter(
        challenge=challenge, status=RegistrationStatus.ACCEPTED, disqualified_at=None
    )
    members = Entry.objects.admitted().filter(
        challenge=challenge, participant__in=registered.values("participant")
    )
    tell(_users_of(members), mail, kind=NoticeKind.DATES, challenge=challenge.pk)


def _lines(slug: str, old: JsonObject, new: JsonObject) -> Iterator[str]:
    name = new.get("name") or slug
    for field, label in MOMENTS.items():
        if old.get(field) != new.get(field):
            yield _("{phase} {does}: {after} (before: {before})").format(
                phase=name, does=label, after=_moment(new, field), before=_moment(old, field)
            )


def _moment(phase: JsonObject, field: str) -> str:
    """A date of a phase in its zone."""
    text = phase.get(field)
    if not isinstance(text, str):
        return "–"
    zone = str(phase.get("time_zone") or "UTC")
    local = datetime.fromisoformat(text).astimezone(ZoneInfo(zone))
    return f"{local:%Y-%m-%d %H:%M} {zone}"


def _tell_members(
    registration: Registration, text: str | Promise, *, reason: str, other_names: Sequence[str] = ()
) -> None:
    challenge = registration.challenge
    members = Entry.objects.current().filter(
        challenge=challenge, participant=registration.participant_id
    )
    names = ", ".join([registration.participant.shown_name, *other_names])
    mail = _mail(challenge, names, text, reason)
    tell(_users_of(members), mail, kind=NoticeKind.DECISIONS, challenge=challenge.pk)


def _mail(challenge: Challenge, name: str, text: str | Promise, reason: str) -> Callable[[], Mail]:
    """A mail about a decision, written in the language of its reader."""

    def mail() -> Mail:
        subject = _("{challenge}: your registration")
        return mail_about(challenge, "register", subject, str(text), name=name, reason=reason)

    return mail


def organisers_of(challenge: Challenge) -> QuerySet[User]:
    """The organisers of the challenge and of its tenant."""
    of_tenant = Membership.objects.filter(
        tenant=challenge.tenant_id, role=Membership.Role.ORGANISER
    )
    of_challenge = ChallengeRole.objects.filter(
        challenge=challenge, role=ChallengeRole.Role.ORGANISER
    )
    return User.objects.filter(
        Q(pk__in=of_tenant.values("user")) | Q(pk__in=of_challenge.values("user"))
    )


def _users_of(entries: QuerySet[Entry]) -> Iterable[User]:
    return User.objects.filter(pk__in=entries.values("user"))


def tell_of_attempt(attempt: Attempt, reason: str, *, is_returned: bool) -> None:
    """Tell the members of a participant that a reviewer has returned or accepted an attempt."""
    if is_returned:
        text = gettext_lazy(
            "An attempt of {name} in the challenge {challenge} is returned: {reason}\n\nYou may"
            " answer: {page}"
        )
    else:
        text = gettext_lazy(
            "An attempt of {name} in the challenge {challenge} is accepted.\n\n{page}"
        )
    challenge, name = attempt.challenge, attempt.participant.shown_name
    page = public_address(attempt.get_absolute_url())

    def mail() -> Mail:
        values = {"name": name, "challenge": challenge.name, "page": page, "reason": reason}
        subject = _("{challenge}: a review").format(challenge=challenge.name)
        return Mail(subject, str(text).format(**values))

    entries = Entry.objects.current().filter(challenge=challenge, participant=attempt.participant)
    members = [entry.user for entry in entries.filter(is_waiting=False).select_related("user")]
    owner = attempt.participant.owner
    tell(
        members or ([owner] if owner else []),
        mail,
        kind=NoticeKind.DECISIONS,
        challenge=challenge.pk,
    )
