"""Evaluations as a worker stores them, for tests that read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone

from leaderboard.models import (
    Attempt,
    Evaluation,
    InstanceBlock,
    MetricRun,
    ReferenceBlock,
    References,
    ResultBlock,
    ScoringConfig,
)
from leaderboard.rules.json.packing import packed
from leaderboard.rules.rewards.instances import Instance, blocks
from tests.helpers.configs import rewrite

Result = float | Mapping[str, float | None] | None


def stored_evaluation(attempt: Attempt, instances: Sequence[Instance], **fields: Any) -> Evaluation:
    """Store the instances of an attempt."""
    evaluation = Evaluation.objects.create(attempt=attempt, **fields)
    InstanceBlock.objects.bulk_create(
        InstanceBlock(evaluation=evaluation, number=at, **InstanceBlock.of(_rows(block)))
        for at, block in enumerate(blocks(instances))
    )
    Attempt.objects.filter(pk=attempt.pk).update(instance_count=len(instances))
    attempt.refresh_from_db()
    return evaluation


def held_references(config: ScoringConfig, instances: Sequence[Instance]) -> References:
    """Store references for these instances with a config."""
    held = References.objects.create(
        challenge=config.challenge, instance_count=len(instances), digest=f"{config.pk:064}"
    )
    ReferenceBlock.objects.bulk_create(
        ReferenceBlock(
            references=held,
            number=at,
            ids=packed([instance.id for instance in block]),
            **ReferenceBlock.of(_rows([instance._replace(outputs=()) for instance in block])),
        )
        for at, block in enumerate(blocks(instances))
    )
    rewrite(ScoringConfig.objects.filter(pk=config.pk), references=held)
    config.refresh_from_db()
    return held


def stored_run(
    attempt: Attempt,
    metric: str | dict[str, Any],
    results: Sequence[Result],
    *,
    config: ScoringConfig | None = None,
    score: dict[str, Any] | None = None,
    warnings: Mapping[int, str] | None = None,
    sizes: Sequence[int] = (),
    **fields: Any,
) -> MetricRun:
    """Store a finished run with a result for each instance.

    sizes: the sizes of the blocks of instances; by default 250 each.
    """
    given = {"id": metric} if isinstance(metric, str) else metric
    config = config or attempt.scoring_config
    run = MetricRun.objects.create(
        evaluation_id=attempt.pk,
        config=config,
        position=MetricRun.objects.filter(evaluation=attempt.pk, config=config).count(),
        given=given,
        score=score,
        **{"key": given["id"], "finished_at": timezone.now(), **fields},
    )
    rows = [[result, (warnings or {}).get(at)] for at, result in enumerate(results)]
    sizes = sizes or [min(250, len(rows) - at) for at in range(0, len(rows), 250)]
    cuts = [sum(sizes[:at]) for at in range(len(sizes) + 1)]
    ResultBlock.objects.bulk_create(
        ResultBlock(run=run, number=at, **ResultBlock.of(rows[cuts[at] : cuts[at + 1]]))
        for at in range(len(sizes))
    )
    return run


def _rows(instances: Sequence[Instance]) -> list[list[Any]]:
    return [instance.row() for instance in instances]
