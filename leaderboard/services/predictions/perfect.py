"""A truth is accepted if every metric has a value on it, at least for perfect predictions."""

from __future__ import annotations

from django.utils.translation import gettext as _

from leaderboard.languages.translation import translated
from leaderboard.models import ChallengeFile, ScoringConfig, Truth
from leaderboard.rules.rewards.splits import TaskPart
from leaderboard.sandbox import Failure, SandboxError
from leaderboard.services.errors import invalid
from leaderboard.services.predictions.truths import stored_truth, truth_settings, unavailable
from leaderboard.services.predictions.values import measured_files


def truth_for(config: ScoringConfig, file: ChallengeFile) -> Truth:
    """The truth in a file as a config reads it; every metric must have a value on it.

    Raises ServiceError with what is wrong in the table. Call it outside of transactions.
    """
    truth = stored_truth(file, truth_settings(config))
    for spec in config.prediction_specs:
        try:
            (perfect,) = measured_files(config, spec, bytes(truth.key), [None], part=TaskPart.ALL)
        except SandboxError:
            raise unavailable() from None
        if isinstance(perfect, Failure):
            raise invalid("truth", f"{spec.name}: {translated(perfect.message)}")
        if next(iter(perfect.values.values())) is None:
            text = _("{metric} has no value on this truth, even for perfect predictions. {reason}")
            reason = translated(perfect.reason)
            raise invalid("truth", text.format(metric=spec.name, reason=reason).strip())
    return truth
