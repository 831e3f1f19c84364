"""Who may read the details of a score."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser

from leaderboard.models import Attempt, Challenge, ScoringConfig, User

Details = Challenge.DetailsVisibility


def may_see_details(
    user: User | AnonymousUser | None,
    attempt: Attempt,
    config: ScoringConfig,
    *,
    organiser: bool | None = None,
) -> bool:
    """May `user` see the details of the attempt's score under `config`?

    `auto` means everyone where the scorer declares its details public, else the participant's
    owner. Organisers always may; whoever knows already whether `user` is one says so.
    """
    visibility = attempt.challenge.details_visibility
    if visibility == Details.AUTO:
        visibility = Details.PUBLIC if config.public_details else Details.PARTICIPANT
    if visibility == Details.PUBLIC:
        return True
    if not isinstance(user, User) or not user.is_active:
        return False
    if visibility == Details.PARTICIPANT and user.pk == attempt.participant.owner_id:
        return True
    return user.organises(attempt.challenge.tenant_id) if organiser is None else organiser
