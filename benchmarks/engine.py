"""A text metric as a worker evaluates it: stored blocks, sandboxes, the score.

`python -m benchmarks.engine METRIC FILE THREADS` runs it as a separate process in which THREADS
sandboxes compute in parallel. They are started before anything is timed, as in a worker that
already runs.
"""

from __future__ import annotations

import sys
from pathlib import Path

import django

from benchmarks.loops import OF_MODELS, PARAMETERS
from benchmarks.parts.repeats import serve
from benchmarks.parts.stored import count_blocks, read_blocks
from benchmarks.parts.texts import instances
from leaderboard.rules.json.packing import inflated
from leaderboard.sandbox.contract import Rows

GIVEN = PARAMETERS | OF_MODELS


def main() -> None:
    metric_id, file, threads = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    django.setup()
    from leaderboard.services.evaluation import runs

    runs.MAX_THREADS = threads
    _start(metric_id, threads)
    serve(lambda: file, lambda file: evaluate(metric_id, file))


def _start(metric_id: str, threads: int) -> None:
    """Start each sandbox by waiting for one answer from it."""
    from leaderboard.services.plugins.sandboxes import text_sandboxes
    from leaderboard.services.plugins.text_metrics import find_text_metric

    metric, (instance,) = find_text_metric(metric_id), instances(1)
    for sandbox in text_sandboxes(threads):
        with sandbox.evaluating(metric.entrypoint, GIVEN[metric_id]) as line:
            line.evaluate([instance[:4]], timeout_ms=600_000)


def evaluate(metric_id: str, file: Path) -> float:
    """Return the value that an attempt with the blocks of a file gets."""
    from leaderboard.rules.rewards.text_scores import first_key
    from leaderboard.rules.rewards.text_values import RunningScore
    from leaderboard.services.evaluation.runs import Scored, steps
    from leaderboard.services.plugins.text_metrics import find_text_metric

    metric = find_text_metric(metric_id)
    *_, last = steps(
        metric,
        GIVEN[metric_id],
        enumerate(Rows(inflated(content), count) for content, count in read_blocks(file)),
        RunningScore(averaged=metric.averaged),
        count=count_blocks(file),
        timeout_ms=3_600_000,
    )
    assert isinstance(last, Scored), last
    value = last.score[first_key(last.score) or ""]
    assert isinstance(value, float), last
    return value


if __name__ == "__main__":
    main()
