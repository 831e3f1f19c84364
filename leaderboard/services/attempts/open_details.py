"""The details of the scores on a board, as far as a reader may see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from leaderboard.models import Attempt, User
from leaderboard.services.attempts.read import read_attempts
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.board import VisibleBoard


class OpenDetails(NamedTuple):
    """The details that a scorer returned with a score. score: its result before clamping."""

    score: float
    details: Mapping[str, object]


def details_of_rows(
    board: VisibleBoard, rows: Sequence[BoardRow], *, reader: User | None, organiser: bool
) -> dict[UUID, OpenDetails]:
    """The details of the attempts that count on rows, by attempt, in a few statements.

    Without attempts whose details the reader may not see. Empty for a board of means, whose values
    are over several attempts.
    """
    if board.board.counting == "mean":
        return {}
    ids = [row.attempt_id for row in rows if row.attempt_id is not None]
    attempts = Attempt.objects.filter(pk__in=ids).select_related("participant", "scoring_config")
    visible_attempts = [attempt for attempt in attempts if board.access.sees(attempt)]
    readings = read_attempts(
        board.challenge, visible_attempts, reader=reader, organiser=organiser, access=board.access
    )
    return {
        reading.attempt.pk: OpenDetails(reading.score.raw_value, reading.score.details)
        for reading in readings
        if reading.details_open
        and reading.score
        and reading.score.details
        and reading.score.raw_value is not None
        and reading.config.pk == board.board.config_id
    }
