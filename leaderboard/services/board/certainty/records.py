"""Which attempts set a record: certainly better than the one that held it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, Final, NamedTuple
from uuid import UUID

from leaderboard.models import Attempt, Board, Evidence
from leaderboard.rules.ranking.places import RankKey
from leaderboard.rules.ranking.records import records
from leaderboard.rules.rewards.clusters import cluster_numbers
from leaderboard.rules.statistics.metric_parts import MetricParts, joined_parts, metric_parts
from leaderboard.rules.statistics.record_tests import RecordTest, StoredRecord, record_test
from leaderboard.schemas.metrics import MetricSpec, spec_of
from leaderboard.services.board.certainty.board_parts import MOST_SAMPLES, MOST_TASKS
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.standings.derivation import each_attempt
from leaderboard.services.evaluation.metrics import metric_of

MOST_ATTEMPTS: Final = 5000
"""Of a larger board, only the attempts that count for its rows are looked at."""
MOST_TESTED: Final = 50


class _Try(NamedTuple):
    at: datetime
    attempt: UUID
    value: float


def records_of(board: Board, rows: Sequence[BoardRow]) -> list[StoredRecord]:
    """The best values so far of a board, the first one left out, with their tests.

    rows: the first rows of the board. Loads the evidence of the last 50 of these attempts.
    """
    config = board.ranked_by
    key = config.ranking.keys[0]
    spec = spec_of(key.key, config.metric_specs)
    if spec is None or key.key == "submitted_at" or spec.compares:
        return []
    tries = _tries(board, rows, key)
    places = records([one.value for one in tries], key)[-MOST_TESTED:]
    best = [tries[at] for at in places]
    tested = _tests(board, key, spec, best)
    return [
        {
            "attempt": new.attempt.hex,
            "holder": holder.attempt.hex,
            "p": test.p,
            "is_certain": test.is_certain,
        }
        for (holder, new), test in zip(pairwise(best), tested, strict=True)
    ]


def _tries(board: Board, rows: Sequence[BoardRow], key: RankKey) -> list[_Try]:
    """The ranked attempts by time."""
    drafts = each_attempt(board, MOST_ATTEMPTS + 1)
    if len(drafts) <= MOST_ATTEMPTS:
        sample = board.config.challenge.sample_id
        tries = [
            _Try(draft.reached_at, draft.attempt_id, draft.values[key.key])
            for draft in drafts
            if draft.attempt_id is not None
            and draft.attempt_id != sample
            and draft.place.unranked is None
            and key.key in draft.values
        ]
    else:
        tries = [
            _Try(row.reached_at, row.attempt_id, row.values[key.key])
            for row in rows
            if row.attempt_id is not None and key.key in row.values
        ]
    return sorted(tries, key=lambda one: (one.at, str(one.attempt)))


def _tests(board: Board, key: RankKey, spec: MetricSpec, best: Sequence[_Try]) -> list[RecordTest]:
    """The test of each but the first against the one before it."""
    config, metric = board.ranked_by, metric_of(spec)
    parts = [None] * len(best) if metric is None else _parts(board, key, spec, metric, best)
    tests = []
    for holder, new in pairwise(parts):
        if holder is None or new is None:
            tests.append(RecordTest(None, is_certain=False))
            continue
        names = list(dict.fromkeys([*holder.tasks, *new.tasks]))
        places = {task: at for at, task in enumerate(names)}
        clusters = cluster_numbers(names, config.task_clusters)
        pair = joined_parts([holder, new], places, key.direction, clusters)
        tests.append(record_test(pair, 1, 0))
    return tests


def _parts(
    board: Board, key: RankKey, spec: MetricSpec, metric: Any, best: Sequence[_Try]
) -> list[MetricParts | None]:
    """The parts of attempts; None for one whose value is not computed from its samples."""
    config = board.ranked_by
    counts = config.counts(board.phase_id)
    ids = [one.attempt for one in best]
    sizes = dict(Attempt.objects.filter(pk__in=ids).values_list("pk", "sample_count"))
    left = MOST_SAMPLES
    parts: list[MetricParts | None] = []
    for one in reversed(best):
        left -= sizes.get(one.attempt) or 0
        evidence = Evidence.objects.only("samples").filter(pk=one.attempt).first()
        if evidence is None or left < 0:
            parts.append(None)
            continue
        rewards = evidence.under(config, counts)
        reward = dict(spec.keys(rewards.rewards)).get(key.key)
        mine = metric_parts(
            metric,
            rewards.metric_input(
                reward, failed=spec.failed, undefined=spec.undefined, group=spec.group
            ),
        )
        parts.append(mine if mine and _gives(mine, one.value) else None)
    return parts[::-1]


def _gives(parts: MetricParts, value: float) -> bool:
    total = float(parts.below.sum())
    if not total > 0.0 or len(parts.tasks) > MOST_TASKS:
        return False
    return math.isclose(float(parts.above.sum()) / total, value, rel_tol=1e-6, abs_tol=1e-9)
