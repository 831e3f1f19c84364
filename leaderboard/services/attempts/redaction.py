"""Removes the parts of an attempt that a reader may not see."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

from leaderboard.facts import known_facts
from leaderboard.models import Attempt, Score
from leaderboard.services.attempts.reading import Reading
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.rounding import (
    rounded_copy,
    rounded_values,
    share_covered,
)


def redacted(reading: Reading, access: Access) -> Reading:
    """The attempt without what is hidden from this reader. The stored attempt is not changed."""
    if not access.is_limited:
        return reading
    attempt = reading.attempt
    visible = replace(
        reading,
        attempt=_redacted_attempt(attempt, access),
        is_exact=access.view(attempt.phase_id).is_exact,
        status_hidden=_hides_status(attempt, access),
    )
    decimals = access.decimals(attempt)
    if not (access.sees_score(attempt) and _covers_enough(reading, access)):
        is_own = access.is_own(attempt)
        visible = replace(
            visible,
            score=_failure(reading.score) if is_own and reading.score else None,
            progress=reading.progress if is_own else None,
            own_values={},
            details_open=False,
            score_hidden=True,
        )
    elif decimals is not None:
        visible = _rounded(visible, decimals)
    if not access.sees_place(attempt):
        visible = replace(visible, counts=False, rank=None)
    return visible


def _redacted_attempt(attempt: Attempt, access: Access) -> Attempt:
    """A copy of an attempt, not to be saved, with the name, notes and evidence that are visible."""
    visible = copy(attempt)
    if not access.is_own(attempt):
        visible.participant = access.participant(attempt.participant, attempt.phase_id)
        visible.chosen_at = None
        if not access.links_phases:
            visible.copied_from = None
    if not access.sees_note(attempt):
        visible.meta, visible.note, visible.withdrawn_reason = {}, "", ""
    if _hides_status(attempt, access):
        visible.status, visible.finished_at = Attempt.Status.QUEUED, None
    if not access.sees_evidence(attempt):
        visible.values, visible.sample_count, visible.instance_count = {}, None, None
        for fact in known_facts().values():
            setattr(visible, fact.field, None)
    return visible


def _hides_status(attempt: Attempt, access: Access) -> bool:
    """Whether an attempt looks as if it waited: a freeze hides whether it has a score or failed."""
    if access.freeze_of(attempt) is None:
        return False
    return not (access.sees_score(attempt) or access.is_own(attempt))


def _covers_enough(reading: Reading, access: Access) -> bool:
    if reading.score is None:
        return True
    share = share_covered(reading.config, reading.score.metric_values)
    return access.covers_enough(reading.attempt, share)


def _rounded(reading: Reading, decimals: int) -> Reading:
    """Without all that is more exact than the rounded score, such as results of instances."""
    return replace(
        reading,
        score=rounded_copy(reading.score, decimals) if reading.score else None,
        own_values=rounded_values(reading.own_values, decimals),
        details_open=False,
        decimals=decimals,
    )


def _failure(score: Score) -> Score:
    """Only the error code of a failed attempt, because messages may reveal values."""
    return Score(
        attempt_id=score.attempt_id, config_id=score.config_id, error_code=score.error_code
    )
