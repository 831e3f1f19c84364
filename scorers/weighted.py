"""A weighted sum: success and rating earn points, time and tokens cost points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

if TYPE_CHECKING:
    from scorers.protocol import AttemptMetrics, Parameters, ScoringContext, ScoringResult


class WeightedConfig(BaseModel):
    """The four weights, each any finite number. Null counts as not given.

    The names carry the sign: a penalty of 0.5 costs points, and one of -0.5 earns them.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True, frozen=True)

    success_bonus: float = Field(default=100.0, description="Points for an attempt that succeeded")
    rating_weight: float = Field(
        default=10.0, description="Points for each point of the rating (0 to 10)"
    )
    time_penalty: float = Field(
        default=1.0, description="Points lost for each second; a negative number earns points"
    )
    token_penalty: float = Field(
        default=0.01, description="Points lost for each token; a negative number earns points"
    )

    @model_validator(mode="before")
    @classmethod
    def _null_is_not_given(cls, config: Any) -> Any:
        if config is None:
            return {}
        if isinstance(config, dict):
            return {key: value for key, value in config.items() if value is not None}
        return config


class WeightedScorer:
    """Success bonus + rating × weight − seconds × time penalty − tokens × token penalty.

    Only attempts that succeeded get the bonus. A fact that is missing or null counts 0.

    The sum may be negative: the host counts a negative score as 0 and keeps the sum, so that the
    page can show it. Clamping here would hide it.
    """

    Config = WeightedConfig
    public_details = True
    multiplies: ClassVar[dict[str, str]] = {
        "success_bonus": "base",
        "rating_weight": "rating_contribution",
        "time_penalty": "time_penalty",
        "token_penalty": "token_penalty",
    }

    def score(
        self, metrics: AttemptMetrics, config: Parameters, ctx: ScoringContext
    ) -> ScoringResult:
        weights = WeightedConfig.model_validate(config)
        base = weights.success_bonus if metrics.get("succeeded") else 0.0
        rating_contribution = (metrics.get("rating") or 0) * weights.rating_weight
        time_penalty = (metrics.get("elapsed_ms") or 0) / 1000 * weights.time_penalty
        token_penalty = (metrics.get("tokens_total") or 0) * weights.token_penalty
        return {
            "score": base + rating_contribution - time_penalty - token_penalty,
            "details": {
                "base": base,
                "rating_contribution": rating_contribution,
                "time_penalty": time_penalty,
                "token_penalty": token_penalty,
            },
        }
