"""Reading a challenge with everything that scoring needs of it, by one prepared statement."""

from __future__ import annotations

from uuid import UUID

from leaderboard.models import Challenge
from leaderboard.models.built_once import Lookup

_CHALLENGE = Lookup(
    lambda pk: Challenge.objects.filter(pk=pk).select_related(
        "tenant", "newest_config", "shown_config"
    ),
    pk=UUID,
)


def read_challenge(challenge_id: UUID) -> Challenge:
    """A challenge as it is now, with its tenant and its configs."""
    challenge = _CHALLENGE.get(pk=challenge_id)
    challenge.share(challenge.newest, challenge.shown)
    return challenge
