"""New drafts: from a form with a template, and as a copy of a challenge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple, Protocol
from zoneinfo import ZoneInfo

from django.utils.translation import gettext

from leaderboard.columns import Column
from leaderboard.models import Challenge, ChallengeFile, RegistrationRules, Tenant, User
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.rules.json.values import JsonObject
from leaderboard.schemas.challenges import PLAIN_FIELDS
from leaderboard.schemas.registration import RegistrationRulesBody
from leaderboard.services.board.reading.ranking import columns_under
from leaderboard.services.challenge_code.packages import stored_upload
from leaderboard.services.challenge_code.uploads import stored_files
from leaderboard.services.challenges.challenges import create_challenge, delete_challenge
from leaderboard.services.challenges.directions import direction_warnings
from leaderboard.services.challenges.fields import checked_new, scoring_fields_of
from leaderboard.services.challenges.own_plugins import own_package_of
from leaderboard.services.challenges.scoring_configs import Inherited, checked_scoring
from leaderboard.services.challenges.templates import TEMPLATES
from leaderboard.services.challenges.truths import add_challenge_file
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.competition.schedule.change_phases import MOMENTS, phase_as_json
from leaderboard.services.errors import ServiceError

DraftFields = SentFields
LONGEST_NAME: Final = 120
NOT_COPIED: Final = frozenset(("invited", "teams_fixed_at"))
"""Rules of registration about people and dates of the other challenge."""


class NamedFile(Protocol):
    """A file on this machine, and the name that its user gave it."""

    @property
    def path(self) -> Path: ...

    @property
    def label(self) -> str: ...


def create_draft(
    *,
    tenant: Tenant,
    user: User,
    fields: DraftFields,
    template: str = "",
    truth: NamedFile | None = None,
) -> Challenge:
    """A new draft; what `fields` does not say is taken from the template.

    template: a key of `TEMPLATES`, or "" for none. truth: what files of predictions are compared
    with. Raises ServiceError, as `create_challenge`, and nothing is left of the challenge.
    """
    challenge = _draft(tenant, user, fields, template)
    if truth is None:
        return challenge
    try:
        with truth.path.open("rb") as file:
            role = ChallengeFile.Role.TRUTH
            add_challenge_file(challenge, file, name=truth.label, role=role, user=user)
    except ServiceError:
        delete_challenge(challenge)
        raise
    challenge.refresh_from_db()
    return challenge


def _draft(tenant: Tenant, user: User, fields: DraftFields, template: str) -> Challenge:
    chosen = TEMPLATES.get(template)
    if chosen is None:
        return create_challenge(tenant=tenant, user=user, fields={**fields, "is_draft": True})
    declared = {**chosen.fields, "phases": chosen.phases(received_now())}
    challenge = create_challenge(
        tenant=tenant, user=user, fields={**declared, **fields, "is_draft": True}
    )
    if rules := chosen.rules():
        declare_rules(challenge, rules, by=user)
    return challenge


def copy_challenge(challenge: Challenge, *, user: User) -> Challenge:
    """A draft with the settings, phases and rules of registration of a challenge.

    Without attempts, participants, announcements and references. If its first date has passed, all
    dates of phases move by whole weeks, so that it lies ahead. Raises ServiceError.
    """
    newest = challenge.newest
    plain = {name: getattr(challenge, name) for name in PLAIN_FIELDS if name != "slug"}
    name = gettext("Copy of {name}").format(name=challenge.name)[:LONGEST_NAME]
    phases = [phase_as_json(phase) for phase in challenge.phases.all()]
    # A program names files of this challenge, which are not copied.
    own = {"name": name, "is_draft": True, "is_active": True, "program": None}
    copied = create_challenge(
        tenant=challenge.tenant,
        user=user,
        fields={
            **plain,
            **scoring_fields_of(newest),
            **own,
            "phases": moved_ahead(phases, received_now()),
        },
        kept=Inherited(newest.secrets, newest.text_secrets, None, newest.public_details),
        plugins=stored_files(upload) if (upload := stored_upload(challenge.pk)) else {},
        package=own_package_of(challenge),
    )
    if rules := RegistrationRules.objects.filter(challenge=challenge).first():
        names = RegistrationRulesBody.model_fields.keys() - NOT_COPIED
        declare_rules(copied, {name: getattr(rules, name) for name in names}, by=user)
    return copied


class DraftBoard(NamedTuple):
    """The board of a new challenge: its columns, and sentences about what may be a mistake."""

    columns: list[Column]
    warnings: list[str]


def board_preview(tenant: Tenant, fields: DraftFields) -> DraftBoard:
    """The board that a new challenge would have. Nothing is stored.

    Raises ServiceError with every wrong field.
    """
    new = checked_new(fields)
    scoring = checked_scoring(new, new.values, tenant=tenant.slug, columns=new.columns)
    columns = columns_under(scoring, new.columns, new.values)
    return DraftBoard(columns, direction_warnings(scoring, new.columns))


def moved_ahead(phases: Sequence[DraftFields], now: datetime) -> list[JsonObject]:
    """Phases with all dates later by as many weeks as the first date needs to lie after `now`.

    Dates keep their weekday and their time of day in the zone of the phase.
    """
    dates = [
        datetime.fromisoformat(phase[name])
        for phase in phases
        for name in MOMENTS
        if phase.get(name)
    ]
    late = now - min(dates, default=now)
    weeks = math.floor(late / timedelta(weeks=1)) + 1 if dates and late >= timedelta(0) else 0
    return [{**phase, **(_later(phase, weeks) if weeks else {})} for phase in phases]


def _later(phase: DraftFields, weeks: int) -> DraftFields:
    zone = ZoneInfo(phase["time_zone"])
    moments = {name: phase[name] for name in MOMENTS if phase.get(name)}
    return {
        name: (datetime.fromisoformat(at).astimezone(zone) + timedelta(weeks=weeks)).isoformat()
        for name, at in moments.items()
    }
