"""The samples behind the rows of a board, as far as a reader sees them.

They are read from the evidence on each request. A stored table of entries and tasks would have to
follow withdrawals, rescores and freezes, and would be a second place that has to hide samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from leaderboard.models import Attempt, Evidence
from leaderboard.rules.rewards.evidence import RewardEvidence
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.board import VisibleBoard

MOST_SAMPLES: Final = 100_000
"""The most samples that are read for one page: reading them takes up to a second."""
_AT_ONCE: Final = 50


class VisibleSamples(NamedTuple):
    """The samples of the attempts of some rows.

    evidence: by the id of the attempt. left_out: how many rows are beyond the limit of samples.
    """

    evidence: dict[UUID, RewardEvidence]
    left_out: int


def samples_of(board: VisibleBoard, rows: Sequence[BoardRow]) -> VisibleSamples:
    """The samples of rows, the first rows first, up to a limit of samples.

    They are those of the tasks that count in the phase: of a challenge with private tasks, the
    public ones until the end. Rows whose attempts have no samples, or none that the reader sees,
    have no evidence. On a board of means, no row has evidence, because its values come from several
    attempts.
    """
    sizes = {} if board.board.counting == "mean" else _sizes(board, rows)
    wanted = [row.attempt_id for row in rows if row.attempt_id and row.attempt_id in sizes]
    read: list[UUID] = []
    total = 0
    for attempt in wanted:
        total += sizes[attempt]
        if total > MOST_SAMPLES and read:
            break
        read.append(attempt)
    return VisibleSamples(dict(_evidence(board, read)), len(wanted) - len(read))


def _sizes(board: VisibleBoard, rows: Sequence[BoardRow]) -> dict[UUID, int]:
    """The number of samples of each attempt whose samples the reader may see."""
    ids = [row.attempt_id for row in rows if row.attempt_id is not None]
    fields = ("participant", "phase", "submitted_at", "submitted_by", "sample_count")
    attempts = Attempt.objects.filter(pk__in=ids, sample_count__gt=0).only(*fields)
    access = board.access
    return {
        attempt.pk: attempt.sample_count or 0
        for attempt in attempts
        if access.sees(attempt) and access.sees_evidence(attempt)
    }


def _evidence(board: VisibleBoard, ids: Sequence[UUID]) -> Iterator[tuple[UUID, RewardEvidence]]:
    config = board.board.config
    counts = config.counts(board.phase_id)
    for first in range(0, len(ids), _AT_ONCE):
        some = ids[first : first + _AT_ONCE]
        for evidence in Evidence.objects.only("samples", "rulings").filter(pk__in=some):
            yield evidence.pk, evidence.under(config, counts)
