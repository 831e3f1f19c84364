"""A weighted sum: success and rating earn points, time and tokens cost points."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from scorers.protocol import AttemptMetrics, ScoringContext, ScoringResult


class WeightedConfig(BaseModel):
    """The four weights. Null counts as not given.

    Bonus and penalties are 0 or more, because their names already carry the sign: a penalty of
    -0.5 would reward the slow, and is nearly always meant as 0.5. The rating weight may be
    negative, for a challenge in which a low rating is the aim.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True, frozen=True)

    success_bonus: float = Field(
        default=100.0, ge=0, description="Points for an attempt that succeeded"
    )
    rating_weight: float = Field(
        default=10.0, description="Points for each point of the rating (0 to 10)"
    )
    time_penalty: float = Field(default=1.0, ge=0, description="Points lost for each second")
    token_penalty: float = Field(default=0.01, ge=0, description="Points lost for each token")

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

    The bonus is for attempts that succeeded only. A fact that is missing or null counts 0.

    The sum is returned as it is, below zero as well: the host counts a negative score as 0 and
    keeps the sum, so that the page can say what happened. Clamping here would hide it.
    """

    Config = WeightedConfig
    public_details = True

    def score(
        self, metrics: AttemptMetrics, config: dict[str, Any], ctx: ScoringContext
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
