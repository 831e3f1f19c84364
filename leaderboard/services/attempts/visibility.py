"""Who may read the details of a score, and the settings that it was computed with."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import AnonymousUser

from leaderboard.models import Attempt, Challenge, ScoringConfig, User

Details = Challenge.DetailsVisibility


def may_see_details(
    user: User | AnonymousUser | None,
    attempt: Attempt,
    config: ScoringConfig,
    *,
    organiser: bool | None = None,
    teams: Collection[int] = (),
) -> bool:
    """Whether `user` may see the details of the attempt's score under `config`.

    `auto` means everyone if the scorer declares its details public, else the participant's owner
    and members. Organisers always may; a caller that already knows whether `user` is one passes it.

    teams: the participants that the user is a member of.
    """
    visibility = attempt.challenge.details_visibility
    if visibility == Details.AUTO:
        visibility = Details.PUBLIC if config.public_details else Details.PARTICIPANT
    if visibility == Details.PUBLIC:
        return True
    if not isinstance(user, User) or not user.is_active:
        return False
    is_own = user.pk == attempt.participant.owner_id or attempt.participant_id in teams
    if visibility == Details.PARTICIPANT and is_own:
        return True
    return user.organises(attempt.challenge.tenant_id) if organiser is None else organiser


def may_see_config(
    user: User | AnonymousUser | None, challenge: Challenge, *, organiser: bool | None = None
) -> bool:
    """Whether `user` may see the settings of the scorer and of metrics, and the text of scripts.

    organiser: as for `may_see_details`. Secrets are never shown, because a config has none.
    """
    if challenge.config_visibility == Challenge.ConfigVisibility.PUBLIC:
        return True
    if organiser is not None:
        return organiser
    return isinstance(user, User) and user.organises(challenge.tenant_id)
