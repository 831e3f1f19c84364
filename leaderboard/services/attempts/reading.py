"""An attempt with its result, as a reader gets it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from leaderboard.models import Attempt, Score, ScoringConfig, Verification
from leaderboard.rules.rewards.reductions import MetricValue
from leaderboard.services.evaluation.progress import EvaluationProgress

ReadScore = Score
"""The score of an attempt that a service has read: API and pages name its type by this, and leave
it to services which scores a reader may see."""


@dataclass(frozen=True, slots=True)
class Reading:
    """An attempt as a reader sees it.

    `score` is the one under the scoring config that the board shows, else under the attempt's own;
    None while the attempt waits. `counts`: the board shows this one of its participant's attempts;
    `rank` is then its rank, None for an unranked one. `progress` is how far its evaluation is while
    it waits, if it has instances; `own_values` are all values of its text metrics, on the board or
    not. `score_hidden`: the reader sees neither its score nor anything that tells it.
    `status_hidden`: nor whether it is scored; the attempt then looks as if it waited.
    `decimals`: to how many digits its numbers are rounded; None for exact ones. `is_exact`: whether
    the reader may see results of instances and scores of other versions, which tell more.
    """

    attempt: Attempt
    config: ScoringConfig
    score: Score | None
    counts: bool
    rank: int | None
    details_open: bool
    organiser: bool
    progress: EvaluationProgress | None = None
    own_values: Mapping[str, MetricValue] = field(default_factory=dict)
    score_hidden: bool = False
    status_hidden: bool = False
    verification: Verification | None = None
    decimals: int | None = None
    is_exact: bool = True

    @property
    def metric_values(self) -> dict[str, MetricValue]:
        """The board's metric values, and those of metrics that a document added."""
        return {**self.own_values, **(self.score.metric_values if self.score else {})}

    @property
    def is_held(self) -> bool:
        """Whether the attempt waits for an organiser, because the code of a plugin has changed."""
        return self.attempt.status == Attempt.Status.HELD

    @property
    def is_chosen(self) -> bool:
        """Whether the participant has chosen the attempt to count."""
        return self.attempt.chosen_at is not None

    @property
    def status(self) -> str:
        """`queued`, `scoring`, `scored` or `failed`, the last under the config that is read."""
        if self.is_held:
            return Attempt.Status.QUEUED
        if self.score is None:
            return self.attempt.status
        return Attempt.Status.FAILED if self.score.error_code else Attempt.Status.SCORED
