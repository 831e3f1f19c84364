"""Text metrics as a worker evaluates them, against bare loops over the same libraries.

`python -m benchmarks text[=N]`, where N is the number of instances. Imports on either
side and the start of the worker's sandboxes are not timed; starting a child for each run is. A
worker begins with stored rows, and so does the loop: its time is given with and without reading
them. Memory is that of a process and all its descendants; shared pages count once.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.loops import PARAMETERS
from benchmarks.parts.repeats import Repeat, RepeatingProcess, repeating
from benchmarks.parts.report import Line, Table
from benchmarks.parts.stored import write_blocks
from benchmarks.parts.texts import instances
from leaderboard.models import Attempt, Tenant, User
from leaderboard.rules.rewards.documents import Document
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single

ROUNDS = 5
MANY = 100
"""Above so many instances there are `ROUNDS` rounds; below, it is a trial of one for two metrics:
the processes of each take seconds to start."""
TRIED = ("BLEU_NLTK", "EXACT_MATCH")
SAME = 1e-6
"""Relative difference allowed between results: a model computes in single precision."""


def run(*, attempts: int = 10_000) -> Table:
    """Return one table for that many instances with two references each."""
    lines: list[Line] = []
    bare = 0.0
    for metric in PARAMETERS if attempts > MANY else TRIED:
        seconds, more = measured(metric, attempts)
        bare += seconds
        lines += more
    lines += _attempt(attempts, bare)
    return Table(f"Text metrics, {attempts:,} instances, two references", lines)


def measured(metric: str, count: int) -> tuple[float, list[Line]]:
    """Return the seconds of the bare loop, and the lines about a metric."""
    with ExitStack() as stack:
        file = Path(stack.enter_context(tempfile.TemporaryDirectory()), "rows")
        write_blocks(file, count)
        bare = ("benchmarks.loops", metric, file)
        ours = [("benchmarks.engine", metric, file, threads) for threads in (1, 2)]
        processes = [stack.enter_context(repeating(*words)) for words in (bare, *ours)]
        rest = [process.held() for process in processes]
        peaks = [process.peak() for process in processes]
        grown = [peak - before for peak, before in zip(peaks, rest, strict=True)]
        fresh = stack.enter_context(repeating(*bare, "fresh"))
        repeats = _in_turns([fresh, *processes[1:]], ROUNDS if count > MANY else 1)
    seconds = [min(repeat.computing for repeat in rounds) for rounds in repeats]
    in_all = [min(repeat.reading + repeat.computing for repeat in rounds) for rounds in repeats]
    return seconds[0], [
        *_against(metric, seconds, "{:,.3g} s"),
        *_against("– the rows read by the loop as well", in_all, "{:,.3g} s"),
        *_against("– memory beyond that at rest", grown, "{:,.0f} MiB"),
        *_against("– memory in all", peaks, "{:,.0f} MiB"),
    ]


def _in_turns(processes: Sequence[RepeatingProcess], count: int) -> list[Sequence[Repeat]]:
    """Run that many rounds of each process alternately, so that all see the same machine load."""
    rounds = [[process.repeat() for process in processes] for _ in range(count)]
    _check([repeat for repeats in rounds for repeat in repeats])
    return list(zip(*rounds, strict=True))


def _check(repeats: Sequence[Repeat]) -> None:
    """Check that all compared values are equal."""
    for repeat in repeats:
        assert math.isclose(repeat.value, repeats[0].value, rel_tol=SAME), repeats


def _against(what: str, figures: Sequence[float], unit: str) -> Iterator[Line]:
    """Yield lines for the figures of the bare loop, of one sandbox and of two."""
    bare, *ours = figures
    for how, figure in zip(("one sandbox", "two"), ours, strict=True):
        against = f"{unit.format(figure)}, bare loop {unit.format(bare)}"
        yield Line(f"{what}, {how}", against, f"{figure / bare:.2f}" if bare else "–")


def _attempt(count: int, bare: float) -> Iterator[Line]:
    """An attempt that is submitted, read from its rows, evaluated by all metrics, and stored."""
    tenant = Tenant.objects.create(slug="bench", name="Bench")
    user = User.objects.create_user("bench")
    metrics = [{"id": name, "parameters": given} for name, given in PARAMETERS.items()]
    fields: dict[str, object] = {
        "name": "Texts",
        "scoring_strategy": "metric",
        "text_metrics": metrics,
        "rank_by": [{"key": "CHRF", "direction": "desc"}],
    }
    challenge = create_challenge(tenant=tenant, user=user, fields=fields)
    new = NewAttempt("bench", evaluation=Document(list(instances(count)), [], {}))
    start = time.perf_counter()
    attempt, _ = submit_attempt(challenge=challenge, user=user, new=new)
    yield Line("an attempt, saved with its instances", f"{time.perf_counter() - start:,.3g} s", "")
    start = time.perf_counter()
    while single.score_waiting():
        pass
    spent = time.perf_counter() - start
    attempt.refresh_from_db()
    assert attempt.status == Attempt.Status.SCORED, attempt.status
    yield Line(
        f"– evaluated by {len(metrics)} metrics, stored and scored",
        f"{spent:,.3g} s, bare loops {bare:,.3g} s",
        f"{spent / bare:.2f}",
    )
