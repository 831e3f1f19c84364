"""What a stored score costs on a large board that keeps as many columns in order as it may.

`python -m benchmarks storing [--attempts N]`, against a board of the same attempts that keeps
none. Participants are a tenth of the attempts. Processor time of this process and of its server
process on PostgreSQL, from the beginning of the transaction to the commit.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Sequence
from datetime import timedelta
from itertools import count
from pathlib import Path
from uuid import UUID, uuid4

from django.db import connection, transaction
from django.db.models.functions import Now

from benchmarks.crowd import START, fill, make_challenge, values
from benchmarks.report import Line, Table
from leaderboard.models import Attempt, Challenge, ScoringConfig, SortedColumn
from leaderboard.sandbox import Outcome
from leaderboard.services.board import sorted_pieces
from leaderboard.services.board.sorted_columns import MOST
from leaderboard.services.board.sorted_pieces import Pace
from leaderboard.services.board.standings import board_changed, rebuild_standings
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore, attempts_to_score
from leaderboard.services.scoring.claims import Claim
from leaderboard.services.scoring.outcomes import NOTHING_TO_RUN, store

NAMES = [f"value-{at}" for at in range(MOST[connection.vendor])]
ROUNDS = 9
SINGLE = 40
TOGETHER = 500
_numbers = count(1)
_dice = random.Random(5)


def run(*, attempts: int = 200_000) -> Table:
    boards = [_board(name, attempts) for name in ("Plain", "In order")]
    SortedColumn.objects.filter(config=boards[0].shown.pk).give_up()
    sorted_pieces.clear(Pace())
    lines = []
    for what, size, transactions, better in (
        ("a score that is not its participant's best", 1, SINGLE, False),
        ("a better one", 1, SINGLE, True),
        (f"{TOGETHER} better ones at once, each", TOGETHER, 1, True),
    ):
        spent: list[list[float]] = [[], []]
        for _ in range(ROUNDS):
            for board, times in zip(boards, spent, strict=True):
                times.append(_spent(board, size, transactions, better=better))
        plain, kept = (statistics.quantiles(times, n=5)[0] for times in spent)
        lines.append(Line(f"{what}: no columns in order", f"{plain:.3f} ms", "1"))
        lines.append(Line(f"{what}: {len(NAMES)}", f"{kept:.3f} ms", f"{kept / plain:.2f} ×"))
    return Table(f"Stored scores, {attempts // 10:,} participants, {connection.vendor}", lines)


def _board(name: str, attempts: int) -> Challenge:
    challenge = make_challenge(name, NAMES)
    fill(challenge, participants=attempts // 10, attempts=attempts)
    rebuild_standings(challenge)
    return Challenge.objects.select_related("shown_config__challenge__tenant").get(pk=challenge.pk)


def _spent(board: Challenge, size: int, transactions: int, *, better: bool) -> float:
    """Milliseconds for each score."""
    config = board.shown
    who: list[int] = list(
        config.standings.values_list("participant", flat=True).order_by("?")[:TOGETHER]
    )
    pieces = [_attempts(board, who[at * size :][:size]) for at in range(transactions)]
    spent = 0.0
    for piece in pieces:
        attempts = Attempt.objects.filter(pk__in=piece)
        claims, found = list(map(_claim, attempts)), attempts_to_score(attempts)
        value = 1000.0 + next(_numbers) if better else 0.0
        outcome = NOTHING_TO_RUN._replace(value=value, raw_value=value)
        start = _processor_time()
        _store(config, claims, found, outcome)
        spent += _processor_time() - start
    return spent / (size * transactions) * 1000


def _store(
    config: ScoringConfig,
    claims: Sequence[Claim],
    found: Sequence[AttemptToScore],
    outcome: Outcome,
) -> None:
    """As a worker does that has scored one, or a batch of history."""
    with transaction.atomic():
        if len(claims) == 1:
            assert claims[0].finish(Attempt.Status.SCORED)
        else:
            mine = Attempt.objects.filter(pk__in=[each.attempt.pk for each in claims])
            mine.update(status=Attempt.Status.SCORED, finished_at=Now(), lease_token=None)
        board_changed(config.challenge_id, config.pk)
        store(config, [(each, outcome) for each in found], config)


def _claim(attempt: Attempt) -> Claim:
    assert attempt.lease_token
    return Claim(attempt, attempt.lease_token)


def _attempts(board: Challenge, participants: Sequence[int]) -> list[UUID]:
    """A new attempt of each."""
    rows = [
        Attempt(
            tenant=board.tenant,
            challenge=board,
            participant_id=participant,
            scoring_config=board.shown,
            submitted_at=START + timedelta(days=300, seconds=next(_numbers)),
            succeeded=True,
            tokens_total=_dice.randrange(5000),
            elapsed_ms=_dice.randrange(60_000),
            rating=_dice.randrange(11),
            values=dict(values(_dice, NAMES)),
            status=Attempt.Status.SCORING,
            lease_token=uuid4(),
        )
        for participant in participants
    ]
    return [each.pk for each in Attempt.objects.bulk_create(rows)]


def _processor_time() -> float:
    """Seconds of this process and of its server process, if there is one here."""
    spent = time.process_time()
    if connection.vendor == "postgresql":
        connection.ensure_connection()
        pid = connection.connection.info.backend_pid
        nanoseconds, *_ = Path(f"/proc/{pid}/schedstat").read_text().split()
        spent += int(nanoseconds) / 1e9
    return spent
