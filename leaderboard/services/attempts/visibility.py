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
    organiser: bool,
    own: Collection[int] = (),
) -> bool:
    """Whether `user` may see the details of the attempt's score under `config`.

    `auto` means everyone if the scorer declares its details public, else the participant's owner
    and members. Organisers and reviewers always may.

    organiser: whether `user` is one of these. own: the participants that are the user's own here.
    """
    if organiser:
        return True
    visibility = attempt.challenge.details_visibility
    if visibility == Details.AUTO:
        visibility = Details.PUBLIC if config.public_details else Details.PARTICIPANT
    if visibility == Details.PUBLIC:
        return True
    if not isinstance(user, User) or not user.is_active:
        return False
    return visibility == Details.PARTICIPANT and attempt.participant_id in own


def may_see_config(challenge: Challenge, *, organiser: bool) -> bool:
    """Whether a reader may see the settings of the scorer and of metrics, and the text of scripts.

    organiser: as for `may_see_details`. Secrets are never shown, because a config has none.
    """
    return organiser or challenge.config_visibility == Challenge.ConfigVisibility.PUBLIC


def may_see_rows(challenge: Challenge, *, organiser: bool) -> bool:
    """Whether a reader may see predictions beside the truth, which is as secret as references.

    organiser: as for `may_see_details`.
    """
    return organiser or challenge.references_visibility == Challenge.ReferencesVisibility.PUBLIC
