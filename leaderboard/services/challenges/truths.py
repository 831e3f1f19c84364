"""The truth of a challenge: stored as a file, read, and named by its scoring configs."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, ChallengeFile, ScoringConfig, User
from leaderboard.services.challenges.scoring_configs import next_config
from leaderboard.services.errors import ServiceError
from leaderboard.services.predictions.perfect import truth_for


def hold_truth(challenge: Challenge, file: ChallengeFile, *, user: User | None) -> ScoringConfig:
    """Let a challenge compare files of predictions with a truth from now on.

    Another truth than before makes a new scoring version. A challenge without metrics of
    predictions only keeps the file, until it has some. Raises ServiceError.
    """
    config = challenge.newest
    if not config.prediction_specs:
        return config
    truth = truth_for(config, file)
    with transaction.atomic():
        challenge = Challenge.objects.lock_challenge(challenge.pk)
        if challenge.newest_config_id != config.pk:
            raise ServiceError("conflict", _("Somebody else has just changed how it is scored."))
        if config.truth_id != truth.pk:
            wanted = config.copied()
            wanted.truth_id = truth.pk
            config = next_config(challenge, wanted, user=user)
        Challenge.objects.bump(challenge.pk)
    return config


def truth_file_of(challenge: Challenge) -> ChallengeFile | None:
    """The file of the truth that the newest config names, else the last one that was uploaded."""
    truths = ChallengeFile.objects.filter(challenge=challenge, role=ChallengeFile.Role.TRUTH)
    named = truths.filter(truths__configs=challenge.newest_config_id)
    return named.first() or truths.order_by("-pk").first()
