"""The phases of a challenge as they are stored."""

from __future__ import annotations

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
    phases = list(_PHASES.instances(challenge=challenge_id))
    if not phases:
        Phase.objects.get_or_create(challenge=Challenge.objects.get(pk=challenge_id))
        phases = list(_PHASES.instances(challenge=challenge_id))
    return phases
