"""The phases of a challenge: which one a moment belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from leaderboard.models import Challenge, Phase
from leaderboard.models.built_once import Lookup

_PHASES = Lookup(
    lambda challenge: (
        Phase.objects.filter(challenge=challenge)
        .select_related(
            "challenge__newest_config", "challenge__tenant", "challenge__registration_rules"
        )
        .order_by("position", "pk")
    ),
    challenge=UUID,
)
"""The phases with their challenge, all by one statement."""


def stored_phases(challenge_id: UUID) -> list[Phase]:
    """The phases of a challenge in their order, each with the challenge as it is stored now.

    Creates the default phase if a release before phases has made the challenge. Raises
    Challenge.DoesNotExist.
    """
    phases = list(_PHASES.each(challenge=challenge_id))
    if not phases:
        add_default_phase(Challenge.objects.get(pk=challenge_id))
        phases = list(_PHASES.each(challenge=challenge_id))
    return phases


def add_default_phase(challenge: Challenge) -> None:
    """Give a challenge the phase without dates and limits, unless it has it."""
    Phase.objects.get_or_create(challenge=challenge)


def open_phase(phases: Sequence[Phase], moment: datetime) -> Phase | None:
    """The first phase that the moment belongs to."""
    return next((each for each in phases if each.is_open(moment)), None)


def next_phase(phases: Sequence[Phase], moment: datetime) -> Phase | None:
    """The phase that opens next after the moment."""
    later = [each for each in phases if each.opens_at is not None and each.opens_at > moment]
    return min(later, key=lambda each: each.opens_at or moment, default=None)


def last_phase(phases: Sequence[Phase], moment: datetime) -> Phase | None:
    """The phase that closed last before the moment."""
    past = [each for each in phases if each.closes_at is not None and each.closes_at <= moment]
    return max(past, key=lambda each: each.closes_at or moment, default=None)


def nearest_phase(phases: Sequence[Phase], moment: datetime) -> Phase:
    """The phase of an attempt that is accepted at any time: the open one, else the one that closed
    last, else the one that opens next.
    """
    return (
        open_phase(phases, moment)
        or last_phase(phases, moment)
        or next_phase(phases, moment)
        or phases[0]
    )
