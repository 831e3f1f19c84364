"""Quality for money: a good answer counts fully while it is cheap, and less the more it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from scorers.protocol import AttemptMetrics, Parameters, ScoringContext, ScoringResult


class EfficiencyScorer:
    """Quality (0 to 100) × half_cost / (half_cost + cost).

    Quality is ten times the rating; without a rating, success alone is worth 100. An attempt
    that did not succeed scores 0.

    The score falls smoothly with the cost: without a cost all of the quality counts, at
    `half_cost_usd` half of it, at three times that a quarter. So the first cents saved matter
    most, no cost makes a score negative, and there is no limit from which an attempt is worthless.
    An attempt with unknown cost scores 0.
    """

    defaults: ClassVar[dict[str, float]] = {"half_cost_usd": 0.10}
    public_details = True

    def score(
        self, metrics: AttemptMetrics, config: Parameters, ctx: ScoringContext
    ) -> ScoringResult:
        half_cost = config["half_cost_usd"]
        if half_cost <= 0:
            raise ValueError("half_cost_usd must be above 0")
        quality = quality_of(metrics)
        cost = metrics.get("cost_usd")
        share = 0.0 if cost is None else half_cost / (half_cost + cost)
        return {
            "score": quality * share,
            "details": {"quality": quality, "cost_usd": cost, "share_kept": share},
        }


def quality_of(metrics: AttemptMetrics) -> float:
    """The quality of the attempt, from 0 to 100, without regard to its cost."""
    if not metrics.get("succeeded"):
        return 0.0
    rating = metrics.get("rating")
    return 100.0 if rating is None else 10.0 * rating
