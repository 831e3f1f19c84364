"""What scoring and ranking need to know of an attempt, without the rest of its row."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from leaderboard.models import Attempt
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.rules.reductions import MetricValue


class Scorable(NamedTuple):
    """An attempt on its way to a score. `metric_values` are empty until it is evaluated
    and measured; `metrics_code` is then the code of those metrics that are plugins."""

    pk: UUID
    participant_id: int
    participant_slug: str
    submitted_at: datetime
    finished_at: datetime | None
    reported_created_at: int | None
    succeeded: bool | None
    tokens_total: int | None
    elapsed_ms: int | None
    rating: float | None
    cost_usd: float | None
    values: dict[str, float]
    sample_count: int | None
    instance_count: int | None
    metric_values: dict[str, MetricValue] = {}
    metrics_code: str = ""


_STORED = Scorable._fields[: -len(Scorable._field_defaults)]
_FIELDS = tuple("participant__slug" if name == "participant_slug" else name for name in _STORED)


def scorables(attempts: AttemptQuerySet) -> list[Scorable]:
    """The attempts of a query, in its order, by one statement."""
    return [Scorable(*row) for row in attempts.values_list(*_FIELDS)]


def scorable(attempt: Attempt) -> Scorable:
    """One attempt that is at hand with its participant, saved or not."""
    row: list[Any] = [getattr(attempt, name, None) for name in _STORED]
    row[Scorable._fields.index("participant_slug")] = attempt.participant.slug
    return Scorable(*row)
