"""A text metric as a worker evaluates it: stored blocks, sandboxes, the score.

`python -m benchmarks.engine METRIC INSTANCES LANES` is it as a process of its own, in which that
many sandboxes compute side by side. They have been started before anything is timed, as in a
worker that is up.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import django

from benchmarks.loops import OF_MODELS, PARAMETERS
from benchmarks.texts import blocks, instances
from benchmarks.turns import serve
from leaderboard.rules.packing import inflated, packed
from leaderboard.sandbox.contract import Rows

Stored = Sequence[tuple[bytes, int]]
GIVEN = PARAMETERS | OF_MODELS


def main() -> None:
    metric_id, count, lanes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    django.setup()
    from leaderboard.services import text_runs

    text_runs.MAX_LANES = lanes
    _start(metric_id, lanes)
    evaluation = stored(count)
    serve(lambda: evaluation, lambda same: same, lambda given: evaluate(metric_id, given))


def _start(metric_id: str, lanes: int) -> None:
    """Have every sandbox answer once."""
    from leaderboard.services.sandboxes import text_sandboxes
    from leaderboard.services.text_metrics import find_text_metric

    metric, (instance,) = find_text_metric(metric_id), instances(1)
    for sandbox in text_sandboxes(lanes):
        with sandbox.evaluating(metric.entrypoint, GIVEN[metric_id]) as line:
            line.evaluate([instance[:4]], timeout_ms=600_000)


def stored(count: int) -> Stored:
    """The blocks of an evaluation as their rows hold them."""
    return [(packed(block), len(block)) for block in blocks(count)]


def evaluate(metric_id: str, evaluation: Stored) -> float:
    """The value that an attempt with these blocks gets."""
    from leaderboard.rules.text_scores import first_key
    from leaderboard.rules.text_values import Tally
    from leaderboard.services.text_metrics import find_text_metric
    from leaderboard.services.text_runs import Scored, steps

    metric = find_text_metric(metric_id)
    *_, last = steps(
        metric,
        GIVEN[metric_id],
        enumerate(Rows(inflated(content), count) for content, count in evaluation),
        Tally(averaged=metric.averaged),
        count=len(evaluation),
        timeout_ms=3_600_000,
    )
    assert isinstance(last, Scored), last
    value = last.score[first_key(last.score) or ""]
    assert isinstance(value, float), last
    return value


if __name__ == "__main__":
    main()
