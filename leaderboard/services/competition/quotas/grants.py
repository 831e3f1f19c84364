"""Grants: organisers give a participant, or all, extra attempts or more time."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, Grant, Participant, Phase, User
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.local_times import read_moment
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.grants import NEW_GRANT, NewGrant
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.clock import iso, received_now
from leaderboard.services.errors import invalid, validated


def grants_of(challenge: Challenge) -> QuerySet[Grant]:
    """The grants of a challenge, the newest first."""
    grants = Grant.objects.filter(phase__challenge=challenge)
    return grants.select_related("phase", "participant", "given_by")


def give_extra(challenge: Challenge, fields: object, *, by: User | None) -> Grant:
    """Give extra attempts. fields: as in `NewGrant`. Raises ServiceError."""
    new = validated(NEW_GRANT, fields)
    phase = challenge.phases.filter(slug=new.phase).first()
    if phase is None:
        raise invalid("phase", _("must be the slug of a phase; got {slug}").format(slug=new.phase))
    participant = _participant(challenge, new.participant)
    grant = Grant(phase=phase, participant=participant, extra=new.extra, reason=new.reason)
    grant.until, grant.given_by = _until(new.until, phase), by
    _check_gives(grant, new)
    with transaction.atomic():
        grant.save()
        record_grant(grant, by=by)
    grant.refresh_from_db(fields=["given_at"])
    return grant


def take_back(grant: Grant, *, by: User | None) -> None:
    """Delete a grant. Attempts that it allowed still count."""
    with transaction.atomic():
        record_grant(grant, by=by, is_given=False)
        grant.delete()


def record_grant(
    grant: Grant,
    *,
    by: User | None,
    before: JsonObject | None = None,
    is_given: bool = True,
) -> None:
    """Write a grant that was given, changed (`before`) or deleted into the audit log."""
    now = grant_for_log(grant)
    record(
        grant.phase.challenge_id,
        AuditKind.GRANT,
        by=by,
        before=before if is_given else now,
        after=now if is_given else None,
        participant=grant.participant,
    )


def grant_for_log(grant: Grant) -> JsonObject:
    """A grant as the audit log shows it."""
    until = iso(grant.until) if grant.until else None
    return {
        **({"for": "all"} if grant.participant_id is None else {}),
        "phase": grant.phase.slug,
        "extra": grant.extra,
        "until": until,
        "reason": grant.reason,
    }


def _participant(challenge: Challenge, slug: str | None) -> Participant | None:
    """A participant of a challenge; None for all. Raises ServiceError."""
    if slug is None:
        return None
    who = Participant.objects.filter(slug=slug, registrations__challenge=challenge).first()
    if who is None:
        text = _("must be the slug of a participant of this challenge; got {slug}")
        raise invalid("participant", text.format(slug=sent(slug)))
    return who


def _check_gives(grant: Grant, new: NewGrant) -> None:
    """Refuse a grant without attempts or time, and more time for all. Raises ServiceError."""
    closes = grant.phase.closes_at
    gives_time = grant.until is not None and closes is not None and closes < grant.until
    if gives_time and grant.participant is None:
        text = _(
            "must not be after {moment}, when the phase closes; to give all participants more time,"
            " move its end; got {sent}"
        )
        raise invalid("until", text.format(moment=iso(cast("datetime", closes)), sent=new.until))
    if new.extra == 0 and not gives_time:
        text = _("must be at least 1, unless until is after the end of the phase; got 0")
        raise invalid("extra", text)


def _until(text: str | None, phase: Phase) -> datetime | None:
    if text is None:
        return None
    try:
        until = read_moment(text, phase.time_zone)
    except ValueError as error:
        raise invalid("until", error.args[0]) from None
    if until <= received_now():
        raise invalid("until", _("must be in the future; got {sent}").format(sent=sent(text)))
    return until
