"""What the pictures of a board's rows need, collected by a worker together with its certainty."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Final

from django.db.models import Sum
from django.utils import timezone

from leaderboard.models import Attempt, Board, Standing
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.rules.ranking.board_summaries import FULL, Activity, BoardSummary, Quartiles
from leaderboard.rules.ranking.places import RankKey
from leaderboard.services.board.certainty.task_strips import task_strips
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.reading.unranked_rows import rows_out_of_ranking
from leaderboard.services.board.standings.derivation import attempts_of_one

MOST_ROWS: Final = 200
"""Rows with pictures: the first ones of a board."""
MOST_VALUES: Final = 24
"""The attempts of a course: the newest ones."""
LEAST_ENTRIES: Final = 5
"""Fewer entries than this have no quartiles."""
WEEK: Final = timedelta(days=7)


def summary_of(board: Board, rows: Sequence[BoardRow]) -> BoardSummary:
    """The summary of a board. rows: its first ranked ones, up to 500."""
    sample = board.challenge.sample_id
    kept = [row for row in rows if row.attempt_id is None or row.attempt_id != sample]
    first = kept[:MOST_ROWS]
    return BoardSummary(
        strips=task_strips(board, [*first, *_rows_out_of_ranking(board)]),
        courses=dict(_courses(board, first)),
        quartiles=dict(_quartiles(kept)),
        activity=_activity(board),
    )


def _rows_out_of_ranking(board: Board) -> list[BoardRow]:
    """The rows out of the ranking. Their board is not read together with the others."""
    beside = Board.objects.filter(
        config=board.config_id, phase=board.phase_id, until=board.until, is_out_of_ranking=True
    ).first()
    if beside is None:
        return []
    whole = Board(phase=board.phase, config=board.config, until=board.until)
    whole.board_out_of_ranking = beside
    return rows_out_of_ranking(whole)


def _courses(board: Board, rows: Iterable[BoardRow]) -> Iterator[tuple[int, list[int]]]:
    """The courses of participants with several attempts; none of values that compare entries."""
    key = board.config.ranking.keys[0]
    is_compared = any(spec.name == key.key for spec in board.config.comparing_specs)
    if board.counting == "all" or is_compared or key.key == "submitted_at":
        return
    for row in rows:
        if row.attempts and row.attempts > 1:
            course = course_of(ranked_values(board, row.participant.pk, key), key)
            if course:
                yield row.participant.pk, course


def ranked_values(board: Board, participant_id: int, key: RankKey) -> list[float]:
    """The newest ranked values of a participant, in the order of time."""
    drafts = attempts_of_one(board, participant_id, MOST_VALUES)
    return [
        draft.values[key.key]
        for draft in drafts
        if draft.place.unranked is None and key.key in draft.values
    ]


def course_of(values: Sequence[float], key: RankKey) -> list[int]:
    """Values as percentages of their own range, better ones higher; none for fewer than two."""
    if len(values) < 2:
        return []
    halves = [value / 2 for value in values]  # the range of the values may be too large for a float
    worst, best = min(halves), max(halves)
    if key.direction == "asc":
        worst, best = best, worst
    if worst == best:
        return [FULL // 2] * len(values)
    return [round(FULL * ((half - worst) / (best - worst))) for half in halves]


def _quartiles(rows: Sequence[BoardRow]) -> Iterator[tuple[str, Quartiles]]:
    values: dict[str, list[float]] = {}
    for row in rows:
        for key, value in row.values.items():
            values.setdefault(key, []).append(value)
    for key, those in values.items():
        if len(those) >= LEAST_ENTRIES:
            low, middle, high = statistics.quantiles(those, n=4, method="inclusive")
            yield key, Quartiles(low, middle, high, len(those))


def _activity(board: Board) -> Activity | None:
    """None for a board without attempts, and for one whose attempts are all withdrawn."""
    standings = Standing.objects.filter(board=board)
    if sample := board.challenge.sample_id:
        standings = standings.exclude(attempt=sample)
    total = standings.aggregate(all=Sum("attempts"))["all"]
    attempts = _scored(board)
    newest = attempts.order_by("-submitted_at", "-id").values_list("submitted_at", flat=True)
    last = newest.first() if total else None
    if last is None:
        return None
    newer = attempts.filter(submitted_at__gte=timezone.now() - WEEK)
    return Activity(total, last, min(newer.count(), total))


def _scored(board: Board) -> AttemptQuerySet:
    """The attempts that the board counts or could count."""
    challenge = board.challenge
    attempts = Attempt.objects.filter(challenge=challenge, phase=board.phase_id, withdrawn_at=None)
    attempts = attempts.filter(status=Attempt.Status.SCORED).without_sample(challenge)
    return attempts.filter(submitted_at__lt=board.until) if board.until else attempts
