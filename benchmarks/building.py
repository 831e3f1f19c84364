"""How long a score waits while a column of its board is built or deleted.

`python -m benchmarks building[=N]` compares work in pieces, as a worker does it, with
the same work in one piece. There is one participant for ten attempts.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from django.db import connection, connections

from benchmarks.large_board import (
    NAMES,
    ScoresToStore,
    drop_columns,
    make_board,
    new_attempts,
    scores_to_store,
)
from benchmarks.report import Line, Table
from leaderboard.models import Challenge, SortedColumn
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.standings import sorted_pieces
from leaderboard.services.board.standings.sorted_pieces import Pace

PAUSE_SECONDS = 0.02
"""Pause between two scores."""
SCORES = 1500
"""The most scores that are stored during the work, each a better one of another participant."""


class Found(NamedTuple):
    """Seconds that the work took, and seconds for each score that was stored during it."""

    spent: float
    waits: list[float]


def run(*, attempts: int = 1_000_000) -> Table:
    board = make_board("Large", attempts)
    drop_columns(board)
    alone = [_timed(score) for score in _scores(board, 20)]
    lines = [Line("a score alone, at most", _milli(max(alone)), "")]
    works = (("built", _build), ("deleted", _delete))
    whole = [_beside(board, work, _one_piece(attempts)) for _, work in works]
    pieces = [_beside(board, work, Pace()) for _, work in works]
    for (what, _), one, several in zip(works, whole, pieces, strict=True):
        for measured, how in ((one, "one piece"), (several, "pieces")):
            ratio = max(measured.waits) / max(one.waits)
            median = statistics.median(measured.waits)
            figure = f"{_milli(max(measured.waits))} (median {_milli(median)})"
            lines.append(Line(f"a column {what} in {how}", f"{measured.spent:.1f} s", ""))
            lines.append(Line("a score waits at most", figure, f"{ratio:.2f}"))
    return Table(f"Columns of {attempts // 10:,} participants, {connection.vendor}", lines)


def _one_piece(rows: int) -> Pace:
    pace = Pace()
    pace.rows = rows
    return pace


def _build(board: Challenge, pace: Pace) -> None:
    sorted_pieces.begin(board_at(board).pk, NAMES[0])
    assert sorted_pieces.build(board_at(board).pk, NAMES[0], pace)


def _delete(board: Challenge, pace: Pace) -> None:
    SortedColumn.objects.filter(board__config=board.shown.pk).give_up()
    assert sorted_pieces.clear(pace) == 1


def _beside(board: Challenge, work: Callable[[Challenge, Pace], None], pace: Pace) -> Found:
    """Do the work in a thread, and store scores one after the other during it; at least one, also
    if the work is done before it."""
    scores = _scores(board, SCORES)
    spent: list[float] = []
    worker = threading.Thread(target=_in_thread, args=(partial(work, board, pace), spent))
    worker.start()
    waits: list[float] = []
    while (worker.is_alive() or not waits) and scores:
        waits.append(_timed(scores.pop()))
        time.sleep(PAUSE_SECONDS)
    worker.join()
    assert spent, "the work failed"
    return Found(spent[0], waits)


def _in_thread(work: Callable[[], None], spent: list[float]) -> None:
    start = time.perf_counter()
    try:
        work()
        spent.append(time.perf_counter() - start)
    finally:
        connections.close_all()


def _scores(board: Challenge, number: int) -> list[ScoresToStore]:
    """Return scores that are ready to be stored, each of another participant."""
    people = board_at(board).standings.values_list("participant", flat=True).order_by("?")[:number]
    made = [new_attempts(board, [participant]) for participant in people]
    return [scores_to_store(board, attempt, better=True) for attempt in made]


def _timed(score: ScoresToStore) -> float:
    start = time.perf_counter()
    score.store()
    return time.perf_counter() - start


def _milli(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"
