"""A rescore of files of predictions, which are kept packed, and what a page with their rows takes.

`python -m benchmarks predictions[=N]`, where N is the number of attempts.
"""

from __future__ import annotations

import io
import os
import time
from copy import copy
from uuid import UUID

import numpy as np

from benchmarks.parts.measure import spent_by
from benchmarks.parts.report import Line, Table
from leaderboard.models import (
    Attempt,
    Challenge,
    ChallengeFile,
    ScoringConfig,
    SubmittedFile,
    Tenant,
    User,
)
from leaderboard.predictions.scoring import answers_of, measure
from leaderboard.rules.ids import uuid7
from leaderboard.services.attempts.submit import NewAttempt, SentFile, submit_attempt
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.challenges.truths import add_challenge_file
from leaderboard.services.predictions.rows import compared_files, pictures_of_attempt
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from leaderboard.services.scoring.single import score_waiting
from scorers.predictions.values.rmse import RootMeanSquaredError
from tests.processes import family

ROWS = 100_000
FILES = 4
"""How many different files there are; the other attempts have copies of them."""
FIELDS: dict[str, object] = {
    "name": "Predictions",
    "scoring_strategy": "metric",
    "prediction_metrics": ["rmse", "pearson"],
    "id_column": "id",
    "targets": ["y"],
    "split": {"share": 0.5, "seed": "bench"},
    "rank_by": [{"key": "rmse"}],
}


def run(*, attempts: int = 1000) -> Table:
    """Return one table for files of 100,000 rows, half of them public."""
    challenge, dice = _challenge(), np.random.default_rng(1)
    truth = dice.normal(size=ROWS)
    user = User.objects.create_user("bench")
    content, role = _csv(truth), ChallengeFile.Role.TRUTH
    add_challenge_file(challenge, content, name="truth.csv", role=role, user=user)
    challenge.refresh_from_db()
    start = time.perf_counter()
    for number in range(FILES):
        file = SentFile(_csv(truth + dice.normal(size=ROWS)), "predictions.csv")
        new = NewAttempt(f"bench-{number}")
        submit_attempt(challenge=challenge, user=user, new=new, organiser=True, file=file)
    sent = (time.perf_counter() - start) / FILES
    score_waiting()
    first = _multiplied(attempts)
    bare = _bare(challenge.newest, first)
    config, total = start_rescore(challenge)
    start, before = time.perf_counter(), _processor_seconds()
    work_on(config.pk, seconds=3600)
    spent, used = time.perf_counter() - start, _processor_seconds() - before
    config.refresh_from_db()
    scored = config.scores.values_list("error_code", flat=True)
    assert list(scored) == [""] * total, set(scored)
    lines = [
        Line("a file is checked and packed", f"{sent:.2f} s", ""),
        Line("two metrics of a packed file, without sandbox and database", _ms(bare), "1"),
        Line(f"a rescore of {total:,} attempts in one process", f"{spent:.1f} s", ""),
        Line("– its processor time, by attempt", _ms(used / total), f"{used / total / bare:.1f}"),
        Line("– of 1,000 attempts, on two processors", f"{500 * used / total:.0f} s", ""),
        *_pages(challenge),
    ]
    return Table(f"Predictions of {ROWS:,} rows, {len(config.prediction_specs)} metrics", lines)


def _challenge() -> Challenge:
    tenant = Tenant.objects.create(slug="bench", name="Bench")
    return create_challenge(tenant=tenant, user=None, fields=FIELDS)


def _csv(values: np.ndarray) -> io.BytesIO:
    lines = (f"{at},{value:.6f}\n" for at, value in enumerate(values.tolist()))
    return io.BytesIO(b"id,y\n" + "".join(lines).encode())


def _multiplied(attempts: int) -> UUID:
    """Copy the attempts with their files, until there are so many; returns the first one's id."""
    files = list(SubmittedFile.objects.all())
    stored = Attempt.objects.in_bulk([file.pk for file in files])
    first: UUID = files[0].pk
    originals = [(stored[file.pk], file) for file in files]
    for number in range(FILES, attempts):
        original, its_file = originals[number % FILES]
        attempt, file = copy(original), copy(its_file)
        attempt.pk = file.attempt_id = uuid7()
        file.path = f"copy/{number}"
        Attempt.objects.bulk_create([attempt])
        SubmittedFile.objects.bulk_create([file])
    return first


def _processor_seconds() -> float:
    """Return the processor time of this process and of its sandboxes."""
    return spent_by(member.pid for member in family(os.getpid())) / 1000


def _bare(config: ScoringConfig, attempt: UUID) -> float:
    """Return the processor time of unpacking and measuring one file, in seconds; the least of 5."""
    assert config.truth is not None
    key = bytes(config.truth.key)
    packed = SubmittedFile.objects.values_list("predictions", flat=True).get(pk=attempt)
    assert packed is not None
    answers, metric = answers_of(key, "public"), RootMeanSquaredError()
    spent = []
    for _ in range(5):
        start = time.process_time()
        for _ in config.prediction_specs:
            measure(metric, {}, answers, bytes(packed))
        spent.append(time.process_time() - start)
    return min(spent)


def _pages(challenge: Challenge) -> list[Line]:
    """What pages wait for that show rows, when nothing is kept in the cache."""
    challenge.refresh_from_db()
    config = challenge.newest
    attempts = list(SubmittedFile.objects.values_list("pk", flat=True)[:2])
    lines = []
    for what, call in (
        ("the numbers of a picture", lambda: pictures_of_attempt(config, attempts[0])),
        ("two files compared", lambda: compared_files(config, config.prediction_specs, attempts)),
    ):
        start = time.perf_counter()
        assert call()
        lines.append(Line(what, f"{time.perf_counter() - start:.2f} s", ""))
    return lines


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"
