"""The lowest and the highest number that a participant may report for a metric."""

from __future__ import annotations

from math import inf, isfinite

from django.utils.translation import gettext

from leaderboard.languages.translation import translated
from leaderboard.models import ScoringConfig
from leaderboard.rules.rewards.evidence import ONLY_REWARD
from leaderboard.rules.rewards.intervals import UNBOUNDED, Interval
from leaderboard.schemas.metrics import MetricSpec, spec_of
from leaderboard.schemas.rewards import DeclaredReward
from leaderboard.schemas.text_metrics import TextSpec, text_spec_of
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.evaluation.metrics import built_in
from leaderboard.services.plugins.text_metrics import UnknownTextMetric, find_text_metric
from scorers.metrics.registry import shipped


def impossible(key: str, value: float, bounds: Interval) -> ServiceError:
    """The error for a reported value that is outside of the bounds of its metric."""
    least, most = (end if isfinite(end) else None for end in bounds)
    possible = DeclaredReward.model_construct(name=key, min=least, max=most)
    text = gettext("must be {range}; got {value}")
    return invalid(
        f"values.{key}", text.format(range=translated(possible.range), value=repr(value))
    )


def value_bounds(config: ScoringConfig, key: str) -> Interval:
    """The lowest and the highest number that a metric can have; UNBOUNDED if there is no metric.

    A percentage reported where a share is expected would come first on every board.
    """
    if spec := spec_of(key, config.metric_specs):
        return _of_metric(config, spec, key) if built_in(spec) else UNBOUNDED
    text = text_spec_of(key, config.named_specs)
    return _of_text_metric(text, key) if text else UNBOUNDED


def _of_metric(config: ScoringConfig, spec: MetricSpec, key: str) -> Interval:
    """The bounds of a metric for any number of samples; see `rules.rewards.intervals.bounds_of`."""
    if spec.compares:
        return (0.0, 1.0)
    match getattr(shipped().get(spec.type), "bounds", None):
        case "rewards":
            return _of_reward(config, spec, key)
        case "count":
            return (0.0, inf)
        case (low, high):
            return (-inf if low is None else low, inf if high is None else high)
    return UNBOUNDED


def _of_reward(config: ScoringConfig, spec: MetricSpec, key: str) -> Interval:
    """The declared bounds of the reward, wide enough for the zeros of the metric's policies."""
    low, high = config.reward_intervals.get(_reward(config, spec, key), UNBOUNDED)
    if "zero" in (spec.failed, spec.undefined):
        return min(low, 0.0), max(high, 0.0)
    return low, high


def _reward(config: ScoringConfig, spec: MetricSpec, key: str) -> str:
    """The reward that a key's value is computed from; "" if the challenge does not say."""
    if spec.reward or key != spec.name:
        return spec.reward or key.removeprefix(f"{spec.name}:")
    declared = config.declared_rewards
    return declared[0] if len(declared) == 1 else ONLY_REWARD


def _of_text_metric(spec: TextSpec, key: str) -> Interval:
    try:
        metric = find_text_metric(spec.id)
    except UnknownTextMetric:
        return UNBOUNDED
    return metric.bounds_of(key.partition(":")[2], is_first=key == spec.name)
