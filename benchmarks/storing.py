"""What storing a score costs on a large board.

`python -m benchmarks storing[=N]`, with one participant for ten attempts. Measured is the CPU time
of this process, and of its server process on PostgreSQL, from the beginning of the transaction to
the commit.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from django.db import connection

from benchmarks.parts.large_board import make_board, new_attempts, scores_to_store
from benchmarks.parts.report import Line, Table
from leaderboard.models import Challenge
from leaderboard.services.board.boards import board_at

ROUNDS = 9
SINGLE = 40
TOGETHER = 500
FEW = 1000


def run(*, attempts: int = 200_000) -> Table:
    board = make_board("Large", attempts)
    rounds = ROUNDS if attempts > FEW else 2
    lines = []
    for what, size, transactions, better in (
        ("a score that is not its participant's best", 1, SINGLE, False),
        ("a better one", 1, SINGLE, True),
        (f"{TOGETHER} better ones at once, each", TOGETHER, 1, True),
    ):
        times = [_spent(board, size, transactions, better=better) for _ in range(rounds)]
        lines.append(Line(what, f"{statistics.quantiles(times, n=5)[0]:.3f} ms", ""))
    return Table(f"Stored scores, {attempts // 10:,} participants, {connection.vendor}", lines)


def _spent(board: Challenge, size: int, transactions: int, *, better: bool) -> float:
    """Return the CPU milliseconds for each score."""
    who: list[int] = list(
        board_at(board).standings.values_list("participant", flat=True).order_by("?")[:TOGETHER]
    )
    pieces = [new_attempts(board, who[at * size :][:size]) for at in range(transactions)]
    spent = 0.0
    for piece in pieces:
        scores = scores_to_store(board, piece, better=better)
        start = _processor_time()
        scores.store()
        spent += _processor_time() - start
    return spent / (size * transactions) * 1000


def _processor_time() -> float:
    """CPU seconds of this process, and of its server process on PostgreSQL."""
    spent = time.process_time()
    if connection.vendor == "postgresql":
        connection.ensure_connection()
        pid = connection.connection.info.backend_pid
        nanoseconds, *_ = Path(f"/proc/{pid}/schedstat").read_text().split()
        spent += int(nanoseconds) / 1e9
    return spent
