"""The sample attempt of a draft: how far it is, and its removal. `imports.samples` sends it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Literal, NamedTuple

from leaderboard.models import (
    Attempt,
    Challenge,
    Participant,
    Registration,
    Score,
    ScoringConfig,
    User,
)
from leaderboard.services.attempts.read import WAITING, Reading, read_attempts
from leaderboard.services.board.editions import forget_editions
from leaderboard.services.board.standings.counting import recount
from leaderboard.services.competition.visible.access import Access

SampleState = Literal["waiting", "ranked", "unranked", "failed", "withdrawn", "outdated"]
WITH: Final = ("participant", "scoring_config")


class SentSample(NamedTuple):
    """The sample attempt of a draft as its organisers see it.

    outdated: it was sent before the scoring was changed.
    """

    reading: Reading
    state: SampleState

    @property
    def attempt(self) -> Attempt:
        return self.reading.attempt

    @property
    def why_failed(self) -> str:
        """The error of its score; "" without one."""
        return self.reading.score.error_message if self.reading.score else ""


def read_sample(challenge: Challenge, reader: User | None = None) -> SentSample | None:
    """The sample attempt of a draft with its result; None without one."""
    if challenge.sample_id is None:
        return None
    attempt = Attempt.objects.select_related(*WITH).filter(pk=challenge.sample_id).first()
    if attempt is None:
        return None
    access = Access(challenge.pk)
    (reading,) = read_attempts(challenge, [attempt], reader=reader, organiser=True, access=access)
    return SentSample(reading, _state(challenge, reading))


def hold_sample(challenge: Challenge) -> None:
    """Lock the sample, before the challenge is locked, because workers lock in this order."""
    if challenge.sample_id is not None:
        held = Attempt.objects.select_for_update(no_key=True).filter(pk=challenge.sample_id)
        list(held.values_list("pk"))


def remove_sample(challenge: Challenge) -> None:
    """Delete the sample with its scores, its standings and its participant.

    A worker that scores it at the moment finds no row to save its result in. Call it in a
    transaction that has locked the challenge.
    """
    attempt, challenge.sample = challenge.sample, None
    if attempt is None:
        return
    scores = Score.objects.filter(attempt=attempt)
    forget_editions(list(scores))
    scores.delete()
    counted = ScoringConfig.objects.filter(
        challenge=challenge, boards__standings__participant=attempt.participant_id
    )
    for config in counted.distinct():
        recount(config, attempt.participant_id)
    Challenge.objects.filter(pk=challenge.pk).update(sample=None)
    attempt.delete()
    _remove_if_unused(attempt.participant_id)


def remove_sample_outside(challenge: Challenge, phases: Collection[str]) -> None:
    """Remove the sample if its phase is not one of these slugs, so that the phase can go."""
    sample = challenge.sample
    if sample is not None and (sample.phase is None or sample.phase.slug not in phases):
        remove_sample(challenge)


def _remove_if_unused(participant_id: int) -> None:
    """Delete the participant of a sample, unless organisers have used it for something else."""
    used = Registration.objects.filter(participant=participant_id).exists()
    if not used and not Attempt.objects.filter(participant=participant_id).exists():
        Participant.objects.filter(pk=participant_id).delete()


def _state(challenge: Challenge, reading: Reading) -> SampleState:
    attempt = reading.attempt
    if attempt.withdrawn_at is not None:
        return "withdrawn"
    if attempt.scoring_config_id != challenge.newest_config_id:
        return "outdated"
    if attempt.status in WAITING:
        return "waiting"
    if reading.score is None or reading.score.has_failed or attempt.status == Attempt.Status.FAILED:
        return "failed"
    return "unranked" if reading.rank is None else "ranked"
