"""The part of an attempt's row that scoring and ranking need."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple, cast
from uuid import UUID

from leaderboard.facts import FactValue, scored_facts
from leaderboard.models import Attempt
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.rules.rewards.reductions import MetricValue
from leaderboard.rules.visibility.families import FAMILY
from leaderboard.sandbox import Failure


class AttemptToScore(NamedTuple):
    """The fields of an attempt that scoring and ranking read.

    facts: the `scored_facts` by key. metric_values: empty until the attempt is evaluated and
    measured. metrics_code: the version of the metrics that are plugins, set together with them.
    closes_at: when its phase closes. family: as its meta names it. failure: why its program gave no
    values.
    """

    facts: dict[str, FactValue | None]
    pk: UUID
    participant_id: int
    participant_slug: str
    submitted_at: datetime
    finished_at: datetime | None
    values: dict[str, float]
    sample_count: int | None
    instance_count: int | None
    phase_id: int | None
    closes_at: datetime | None
    runs_program: bool
    family: str | None
    metric_values: dict[str, MetricValue] = {}
    metrics_code: str = ""
    failure: Failure | None = None

    @property
    def succeeded(self) -> bool | None:
        """Whether the attempt succeeded; None if it does not report that."""
        return cast("bool | None", self.facts["succeeded"])


_STORED = AttemptToScore._fields[1 : -len(AttemptToScore._field_defaults)]
_ELSEWHERE = {
    "participant_slug": "participant__slug",
    "closes_at": "phase__closes_at",
    "family": f"meta__{FAMILY}",
}
_NAMES = tuple(_ELSEWHERE.get(name, name) for name in _STORED)
_FACTS = {fact.key: fact.field for fact in scored_facts()}


def attempts_to_score(attempts: AttemptQuerySet) -> list[AttemptToScore]:
    """Load the attempts of a query, in its order, with one SQL statement."""
    rows = attempts.values_list(*_FACTS.values(), *_NAMES)
    count = len(_FACTS)
    return [AttemptToScore(dict(zip(_FACTS, row, strict=False)), *row[count:]) for row in rows]


def attempt_to_score(attempt: Attempt) -> AttemptToScore:
    """Convert an attempt, saved or not, whose participant is already loaded."""
    facts = {key: getattr(attempt, name) for key, name in _FACTS.items()}
    row: list[Any] = [getattr(attempt, name, None) for name in _STORED]
    row[_STORED.index("participant_slug")] = attempt.participant.slug
    row[_STORED.index("family")] = attempt.meta.get(FAMILY)
    row[_STORED.index("closes_at")] = attempt.phase.closes_at if attempt.phase else None
    return AttemptToScore(facts, *row)
