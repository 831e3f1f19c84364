"""Accounts whose participant an organiser has disqualified or declined in a challenge.

The decision is about people, so it holds for all of their names there: otherwise they would go on
under another one.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.models import Attempt, Challenge, Entry, Registration, User
from leaderboard.models.built_once import Values
from leaderboard.schemas.choices import RegistrationStatus
from leaderboard.services.errors import ServiceError


class Barred(NamedTuple):
    """A participant of an account that may not submit in a challenge.

    is_out: whether it is disqualified; otherwise its registration was declined.
    """

    participant: int
    handle: str
    is_out: bool
    reason: str


def barred_names(challenge: Challenge, user: User) -> list[Barred]:
    """The participants of a user that are disqualified or declined in a challenge.

    The user is one of their members there, owns one that has no members, or has submitted for one
    as its member at another challenge. One statement.
    """
    rows = _BARRED.all(challenge=challenge.pk, user=user.pk)
    return [
        Barred(pk, handle, out_since is not None, why if out_since is None else why_out)
        for pk, handle, out_since, why_out, why in sorted(rows, key=lambda row: row[0])
    ]


def check_not_barred(challenge: Challenge, user: User, *, but: int | None = None) -> None:
    """Refuse a user who takes part under a disqualified or declined name.

    but: the id of a participant that is not looked at, because its own status decides. Raises
    ServiceError: `disqualified`, `not_registered`.
    """
    for name in barred_names(challenge, user):
        if name.participant != but:
            raise is_barred_as(challenge, name)


def is_barred_as(challenge: Challenge, name: Barred) -> ServiceError:
    """The refusal of a user who takes part under this name."""
    return _is_disqualified(challenge, name) if name.is_out else _declined(challenge, name)


def _barred(challenge: UUID, user: int) -> QuerySet[Any, Any]:
    entries = Entry.objects.current()
    here = entries.filter(challenge=challenge, participant=OuterRef("participant"))
    entered = Entry.objects.filter(
        challenge=challenge, participant=OuterRef("participant"), user=user
    )
    sent = Attempt.objects.filter(
        challenge=challenge, participant=OuterRef("participant"), submitted_by=user
    )
    own = (
        Q(Exists(here.filter(user=user)))
        | Q(Q(participant__owner=user), ~Exists(here))
        | Q(Exists(sent), ~Exists(entered))
    )
    names = ("participant", "participant__handle", "disqualified_at")
    reasons = ("disqualified_reason", "reason")
    # Two queries and no OR: each begins with the few rows of its index.
    of_challenge = Registration.objects.filter(challenge=challenge)
    out = of_challenge.filter(own, disqualified_at__isnull=False)
    declined = of_challenge.filter(
        own, status=RegistrationStatus.DECLINED.value, disqualified_at__isnull=True
    )
    return out.values_list(*names, *reasons).union(declined.values_list(*names, *reasons))


_BARRED: Final = Values(_barred, challenge=UUID, user=int)


def _is_disqualified(challenge: Challenge, name: Barred) -> ServiceError:
    text = _("You take part as {name}, which is disqualified in this challenge: {reason}")
    page = reverse("register", args=[challenge.slug])
    return ServiceError(
        "disqualified",
        text.format(name=name.handle, reason=name.reason),
        facts={"reason": name.reason, "appeal_at": page},
    )


def _declined(challenge: Challenge, name: Barred) -> ServiceError:
    page = reverse("register", args=[challenge.slug])
    text = _("Your registration as {name} was declined. See {page}.")
    return ServiceError(
        "not_registered",
        text.format(name=name.handle, page=page),
        facts={"register_at": page},
    )
