"""Merging of teams: the captain of a team accepts that another one becomes a part of it.

`merge_requests` has what comes before.

The members and attempts of the asking team move to the other one, with what they have used of
quotas. The asking team then takes part in the challenge no longer, and its address there redirects.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.models import (
    Attempt,
    Challenge,
    Entry,
    Grant,
    OneTimeLink,
    Participant,
    Registration,
    TeamMerge,
    User,
)
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.models.attempt_indexes import WAITING
from leaderboard.schemas.choices import RegistrationStatus
from leaderboard.services.board.standings.counting import recount_participants
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.mail.notices import tell_of_merge_answer
from leaderboard.services.competition.quotas.merging import check_choices, check_quotas, move_quotas
from leaderboard.services.competition.teams.membership import (
    captain_of,
    check_changes,
    current_rules,
)
from leaderboard.services.errors import ServiceError
from leaderboard.services.events.record import EventKind, record_event
from leaderboard.services.transactions import retried


class Pair(NamedTuple):
    """The registrations of the team that merges and of the team that stays."""

    team: Registration
    into: Registration


def refuse_merge(challenge: Challenge, captain: User, slug: str) -> None:
    """Delete the request of another team to the captain's team. Raises ServiceError."""
    own = captain_of(challenge, captain).participant
    merge = _offered(challenge, own, slug)
    with transaction.atomic():
        if merge.delete()[0]:
            tell_of_merge_answer(challenge, merge.team, own, merge.asked_by, yes=False)


def accept_merge(challenge: Challenge, captain: User, slug: str) -> Participant:
    """Make the team with this slug, which has asked for it, a part of the captain's team.

    Raises ServiceError: `not_found`, `closed` (too late), `conflict` with the reason.
    """
    return retried(partial(_accept, challenge, captain, slug))


def _accept(challenge: Challenge, captain: User, slug: str) -> Participant:
    stored = Challenge.objects.lock_challenge(challenge.pk)
    own = captain_of(challenge, captain).participant
    merge = _offered(challenge, own, slug)
    locked = Registration.objects.select_for_update().filter(
        challenge=challenge, participant__in=[merge.team_id, own.pk]
    )
    by_team = {registration.participant_id: registration for registration in locked.order_by("pk")}
    if len(by_team) < 2 or not TeamMerge.objects.waiting().filter(pk=merge.pk).exists():
        raise _not_asked()
    pair = Pair(by_team[merge.team_id], by_team[own.pk])
    _check(stored, pair)
    _merge(stored, pair, by=captain)
    TeamMerge.objects.filter(pk=merge.pk).update(merged_at=received_now())
    tell_of_merge_answer(challenge, merge.team, own, merge.asked_by, yes=True)
    return own


def _check(challenge: Challenge, pair: Pair) -> None:
    rules = current_rules(challenge)
    check_changes(rules)
    if any(registration.status != RegistrationStatus.ACCEPTED for registration in pair):
        raise ServiceError("conflict", _("Both teams must be accepted."))
    if any(registration.disqualified_at for registration in pair):
        raise ServiceError("conflict", _("A disqualified team cannot merge."))
    if pair.team.row_kind != pair.into.row_kind:
        text = _("A team out of the ranking and one that competes cannot merge.")
        raise ServiceError("conflict", text)
    most = rules.largest_team if rules else 1
    if _members(pair) > most:
        text = _("Together the teams have too many members; a team has at most {most}.")
        raise ServiceError("conflict", text.format(most=most))
    if _attempts(pair.team).filter(status__in=(*WAITING, Attempt.Status.HELD)).exists():
        text = _("The team that merges has attempts without a result. Wait for them.")
        raise ServiceError("conflict", text)
    if challenge.configs.rescoring().exists():
        text = _("All attempts are being scored again. Wait until this is done.")
        raise ServiceError("conflict", text)
    teams = pair.team.participant_id, pair.into.participant_id
    check_quotas(challenge, *teams)
    check_choices(challenge, *teams)


def _merge(challenge: Challenge, pair: Pair, *, by: User) -> None:
    """Move everything in the challenge, and count it again. The challenge is locked."""
    team, into = pair.team.participant_id, pair.into.participant_id
    before = [_counts_for_log(registration) for registration in pair]
    _move_members(challenge, team, into)
    _attempts(pair.team).update(participant=into)
    move_quotas(challenge, team, into)
    Grant.objects.filter(phase__challenge=challenge, participant=team).update(participant=into)
    OneTimeLink.objects.filter(challenge=challenge, participant=team).delete()
    # Its request; or its redirect, if it was merged earlier and takes part again.
    TeamMerge.objects.filter(challenge=challenge, team=into).delete()
    merges_into_team = TeamMerge.objects.filter(challenge=challenge, into=team)
    merges_into_team.waiting().update(into=None)  # Those who asked are not told that it is gone.
    merges_into_team.update(into=into)
    pair.team.delete()
    recount_participants(challenge, (team, into))
    Challenge.objects.bump(challenge.pk)
    for registration, old, new in zip(
        pair, before, (None, _counts_for_log(pair.into)), strict=True
    ):
        record(
            challenge.pk,
            AuditKind.REGISTRATION,
            by=by,
            before=old,
            after=new,
            participant=registration.participant,
        )
    record_event(challenge.pk, EventKind.MERGED, {}, participant=team, into=into)


def _move_members(challenge: Challenge, team: int, into: int) -> None:
    """End the entries of a team, and let its members enter the other one."""
    entries = Entry.objects.current().filter(challenge=challenge)
    moving = list(entries.filter(participant=team))
    present = set(entries.filter(participant=into).values_list("user", flat=True))
    entries.filter(participant=team).update(left_at=received_now())
    Entry.objects.bulk_create(
        Entry(
            challenge=challenge,
            user_id=entry.user_id,
            participant_id=into,
            role=Entry.Role.MEMBER,
            is_sole=True,
            answers=entry.answers,
            is_waiting=entry.is_waiting,
        )
        for entry in moving
        if entry.user_id not in present
    )


def _members(pair: Pair) -> int:
    """How many users the teams have together."""
    teams = [registration.participant_id for registration in pair]
    entries = Entry.objects.current().filter(
        challenge=pair.team.challenge_id, participant__in=teams
    )
    return entries.values("user").distinct().count()


def _attempts(registration: Registration) -> AttemptQuerySet:
    return Attempt.objects.filter(
        challenge=registration.challenge_id, participant=registration.participant_id
    )


def _counts_for_log(registration: Registration) -> dict[str, int]:
    members = Entry.objects.current().filter(
        challenge=registration.challenge_id, participant=registration.participant_id
    )
    return {"attempts": _attempts(registration).count(), "members": members.count()}


def _offered(challenge: Challenge, into: Participant, slug: str) -> TeamMerge:
    waiting = TeamMerge.objects.waiting().filter(challenge=challenge, into=into, team__slug=slug)
    merge = waiting.first()
    if merge is None:
        raise _not_asked()
    return merge


def _not_asked() -> ServiceError:
    return ServiceError("not_found", _("This team has not asked to merge with yours."))
