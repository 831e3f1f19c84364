"""Quality for money: a good answer counts in full while it is cheap, and less as it costs more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from scorers.protocol import AttemptMetrics, ScoringContext, ScoringResult


class EfficiencyScorer:
    """Quality (0 to 100) × half_cost / (half_cost + cost).

    Quality is ten times the rating; without a rating, success alone is worth 100. An attempt
    that did not succeed scores 0.

    The cost takes its share smoothly: at no cost the whole quality counts, at `half_cost_usd`
    half of it, at three times that a quarter. So the first cents saved matter most, no price
    turns a score negative, and no limit makes one attempt worthless for a cent too much.
    An unknown cost is not a free one: the attempt keeps nothing of its quality.
    """

    defaults: ClassVar[dict[str, Any]] = {"half_cost_usd": 0.10}
    public_details = True

    def score(
        self, metrics: AttemptMetrics, config: dict[str, Any], ctx: ScoringContext
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
    """How good the attempt is, from 0 to 100, whatever it cost."""
    if not metrics.get("succeeded"):
        return 0.0
    rating = metrics.get("rating")
    return 100.0 if rating is None else 10.0 * rating
