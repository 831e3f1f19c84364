"""Organisers change one phase of a challenge, as a form does; the others stay as they are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils.translation import gettext

from leaderboard.models import Challenge, Phase, User
from leaderboard.schemas.phase_fields import PHASE, PhaseFields
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.schedule.change_phases import phase_as_json
from leaderboard.services.errors import ServiceError, validated


def state_of(phase: Phase) -> str:
    """What a phase says, as a short text: a change of the phase changes it."""
    written = json.dumps(phase_as_json(phase), sort_keys=True)
    return hashlib.sha256(written.encode()).hexdigest()[:16]


def put_phase(
    challenge: Challenge, fields: Mapping[str, object], *, slug: str | None, state: str, user: User
) -> None:
    """Add a phase, or change the one with the slug. Phases are put in the order of their dates.

    fields: as in `PhaseFields`. state: of the phase when the user read it. Raises ServiceError: its
    fields are those of this phase; what is wrong with another one has the name of that phase.
    """
    wanted = validated(PHASE, fields)
    with transaction.atomic():
        Challenge.objects.lock_challenge(challenge.pk)
        other_phases = _other_phases(challenge, slug, state)
        phases = sorted([*other_phases, fields], key=lambda phase: _opens(phase, fields, wanted))
        _change(challenge, phases, fields, user)


def remove_phase(challenge: Challenge, *, slug: str, state: str, user: User) -> None:
    """Remove a phase without attempts. Raises ServiceError."""
    with transaction.atomic():
        Challenge.objects.lock_challenge(challenge.pk)
        _change(challenge, _other_phases(challenge, slug, state), {}, user)


def _other_phases(challenge: Challenge, slug: str | None, state: str) -> list[Mapping[str, object]]:
    """The phases but one, which must be as the user read it."""
    phases = {phase.slug: phase for phase in challenge.phases.all()}
    if slug is not None:
        phase = phases.pop(slug, None)
        if phase is None or state_of(phase) != state:
            text = gettext("Somebody else has changed this phase. Look at it again.")
            raise ServiceError("conflict", text)
    return [phase_as_json(phase) for phase in phases.values()]


def _opens(phase: Mapping[str, object], fields: Mapping[str, object], wanted: PhaseFields) -> str:
    """When a phase opens, as a text in UTC; "" if it was always open."""
    if phase is fields:
        return wanted.opens_at.isoformat() if wanted.opens_at else ""
    return str(phase["opens_at"] or "").replace("Z", "+00:00")


def _change(
    challenge: Challenge,
    phases: Sequence[Mapping[str, object]],
    fields: Mapping[str, object],
    user: User,
) -> None:
    try:
        change_challenge(challenge, user=user, fields={"phases": list(phases)})
    except ServiceError as error:
        raise _at_this(error, phases, fields) from None


def _at_this(
    error: ServiceError, phases: Sequence[Mapping[str, object]], fields: Mapping[str, object]
) -> ServiceError:
    """The error of a list of phases, by the fields of one of them."""
    errors: dict[str, list[str]] = {}
    for path, texts in error.fields.items():
        place, _dot, field = path.removeprefix("phases").lstrip(".").partition(".")
        phase = phases[int(place)] if place.isdecimal() else fields
        if phase is fields:
            errors.setdefault(field, []).extend(texts)
        else:
            sentence = gettext("The phase {phase}, {field}: {wrong}")
            named = {"phase": phase["name"] or phase["slug"], "field": field}
            errors.setdefault("", []).extend(sentence.format(**named, wrong=text) for text in texts)
    return ServiceError(error.code, error.message, errors)
