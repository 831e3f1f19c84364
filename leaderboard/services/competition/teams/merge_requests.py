"""Requests to merge: a captain asks that the team becomes a part of another one.

The answer is the same whatever the name: if no team has it, if that team cannot merge, or if its
captain was asked already. Otherwise requests would tell who takes part in a hidden challenge, how
large the teams are, how many attempts they have, and who is disqualified. Only the captain who is
asked learns more. A team asks another one once a day.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import ceil
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.models import (
    AskedMerge,
    Attempt,
    Challenge,
    Entry,
    Participant,
    Registration,
    TeamMerge,
    User,
)
from leaderboard.models.attempt_indexes import WAITING
from leaderboard.rules.texts.names import name_key, plain_name
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.choices import RegistrationStatus
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.mail.notices import tell_of_merge_request
from leaderboard.services.competition.teams.membership import (
    captain_of,
    check_changes,
    current_rules,
)
from leaderboard.services.errors import ServiceError, invalid

EACH: Final = timedelta(days=1)
MOST_ASKED: Final = 10
"""The most teams that a team asks in a day."""


def merge_asked(challenge: Challenge, team: Participant) -> TeamMerge | None:
    """The request of a team that waits for the other captain."""
    return TeamMerge.objects.waiting().filter(challenge=challenge, team=team).first()


def merges_offered(challenge: Challenge, into: Participant) -> Sequence[TeamMerge]:
    """The teams that ask to become a part of a team, the oldest request first."""
    requests = TeamMerge.objects.waiting().filter(challenge=challenge, into=into)
    return list(requests.select_related("team").order_by("asked_at", "pk"))


def ask_to_merge(
    challenge: Challenge, captain: User, name: str, *, dry_run: bool = False
) -> TeamMerge:
    """Ask that the captain's team becomes a part of the named one, instead of an earlier request.

    name: the handle or the slug of the other team, which need not exist. dry_run: the caller rolls
    everything back; the other team is not even looked for, because dry runs may be many, and the
    time that they take must not tell whether it exists. Raises ServiceError:
    `invalid` for what cannot be the name of another team, `closed` and `conflict` if the own team
    cannot merge now, `throttled`.
    """
    own = captain_of(challenge, captain).participant
    key = _key_of(own, name)
    with transaction.atomic():
        Challenge.objects.lock_challenge_shared(challenge.pk)
        team = Registration.objects.select_for_update().get(challenge=challenge, participant=own)
        _check_asks(challenge, team)
        waiting = merge_asked(challenge, own)
        if waiting is not None and name_key(waiting.asked_name) == key:
            return waiting
        into = None if dry_run else _registered_as(challenge, name)
        is_first = _remember(challenge, own, key, into)
        merge, _is_new = TeamMerge.objects.update_or_create(
            challenge=challenge,
            team=own,
            defaults={
                "into": into,
                "asked_name": " ".join(name.split()),
                "asked_by": captain,
                "asked_at": received_now(),
                "merged_at": None,
            },
        )
        if into is not None and is_first:
            tell_of_merge_request(challenge, own, into)
    return merge


def take_back_request(challenge: Challenge, captain: User) -> None:
    """Delete the request of the captain's team. Raises ServiceError."""
    own = captain_of(challenge, captain).participant
    mine = TeamMerge.objects.waiting().filter(challenge=challenge, team=own)
    if not mine.delete()[0]:
        raise ServiceError("not_found", _("Your team has not asked to merge."))


def _key_of(own: Participant, name: str) -> str:
    """What a name is compared by. Raises ServiceError for one that cannot be of another team."""
    try:
        key = name_key(plain_name(name))
    except ValueError as error:
        raise invalid("participant", error.args[0]) from None
    if key in (own.handle_key, own.slug):
        text = _("must be the name of another team in this challenge; got {sent}")
        raise invalid("participant", text.format(sent=sent(name)))
    return key


def _check_asks(challenge: Challenge, team: Registration) -> None:
    """Whether the asking team may merge now. Raises ServiceError."""
    rules = current_rules(challenge)
    check_changes(rules)
    if team.status != RegistrationStatus.ACCEPTED or team.disqualified_at is not None:
        text = _("Your team must be accepted, and not be disqualified.")
        raise ServiceError("conflict", text)
    members = Entry.objects.current().filter(challenge=challenge, participant=team.participant_id)
    if members.count() >= (rules.largest_team if rules else 1):
        raise ServiceError("conflict", _("Your team has as many members as a team may have."))
    attempts = Attempt.objects.filter(challenge=challenge, participant=team.participant_id)
    if attempts.filter(status__in=(*WAITING, Attempt.Status.HELD)).exists():
        text = _("The team that merges has attempts without a result. Wait for them.")
        raise ServiceError("conflict", text)
    if challenge.configs.rescoring().exists():
        text = _("All attempts are being scored again. Wait until this is done.")
        raise ServiceError("conflict", text)


def _remember(challenge: Challenge, team: Participant, key: str, into: Participant | None) -> bool:
    """Note the request; whether the other team is asked for the first time today.

    Raises ServiceError (`throttled`) if this name, or too many, were asked for today.
    """
    now = received_now()
    asked = AskedMerge.objects.filter(challenge=challenge, team=team)
    asked.filter(asked_at__lte=now - EACH).delete()
    today = list(asked.order_by("asked_at"))
    for earlier in today:
        if earlier.name_key == key:
            raise _too_often(_("Your team has asked this team today."), earlier.asked_at, now)
    if len(today) >= MOST_ASKED:
        text = _("Your team has asked {most} teams today.").format(most=MOST_ASKED)
        raise _too_often(text, today[0].asked_at, now)
    AskedMerge.objects.create(challenge=challenge, team=team, name_key=key, into=into, asked_at=now)
    return all(earlier.into_id != (into and into.pk) for earlier in today)


def _too_often(why: str, since: datetime, now: datetime) -> ServiceError:
    then = _("{why} Ask again tomorrow.").format(why=why)
    refused = ServiceError("throttled", then)
    refused.retry_after = max(1, ceil((since + EACH - now).total_seconds()))
    return refused


def _registered_as(challenge: Challenge, name: str) -> Participant | None:
    mine = Registration.objects.filter(challenge=challenge).select_related("participant")
    by_slug = mine.filter(participant__slug=name.strip()).first()
    registered = by_slug or mine.filter(participant__handle_key=name_key(plain_name(name))).first()
    return registered.participant if registered else None
