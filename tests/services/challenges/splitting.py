"""Challenges with public and private tasks, and the end of their phases."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone

from leaderboard.models import Challenge, Phase, Tenant
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.challenges.finals import begin_finals
from leaderboard.services.scoring.rescoring import work_on
from tests.services.conftest import Rows

TASKS = [f"t{number}" for number in range(1, 9)]
PUBLIC = ["t1", "t2", "t3"]
PRIVATE = TASKS[3:]


def split_challenge(tenant: Tenant, *, split: Any = None, **fields: Any) -> Challenge:
    defaults: dict[str, Any] = {
        "name": "Split",
        "scoring_strategy": "metric",
        "metrics": ["mean"],
        "rank_by": [{"key": "mean"}],
        "min_coverage": None,
        "tasks": [{"name": name, "rewards": ["reward"]} for name in TASKS],
        "split": {"public": PUBLIC} if split is None else split,
    }
    return create_challenge(tenant=tenant, user=None, fields=defaults | fields)


def close(challenge: Challenge, slug: str = "main") -> None:
    """Let a phase end now."""
    ended = timezone.now() - timedelta(seconds=1)
    Phase.objects.filter(challenge=challenge, slug=slug).update(closes_at=ended)


def compute_finals(challenge: Challenge) -> int:
    """Begin the final scores of what has ended, and compute them."""
    begun = begin_finals()
    challenge.refresh_from_db()
    if challenge.newest.is_rescoring:
        work_on(challenge.newest.pk)
    challenge.refresh_from_db()
    return begun


def rewards(solved: Sequence[str]) -> dict[str, list[float | None]]:
    return {name: [1.0 if name in solved else 0.0] for name in TASKS}


def values(rows: Rows, challenge: Challenge) -> dict[str, float | None]:
    return {name: row.values.get("mean") for name, row in rows(challenge).items()}
