"""Which columns of a board have shares from 0 to 1, as the challenge and its metrics declare."""

from __future__ import annotations

from leaderboard.columns.registry import TEXT_NOTE
from leaderboard.models import ScoringConfig
from leaderboard.schemas.metrics import MetricSpec, spec_of
from leaderboard.schemas.text_metrics import text_spec_of
from leaderboard.services.evaluation.metrics import comes_with_the_product
from scorers.metrics.registry import shipped


def is_share(config: ScoringConfig, key: str) -> bool:
    """Whether the values of a column are at most 1, which is all. False if nothing declares it."""
    if spec := spec_of(key, config.metric_specs):
        return spec.compares or _is_share(config, key, spec)
    if text := text_spec_of(key, config.named_specs):
        bounds = config.metric_notes.get(f"{TEXT_NOTE}{text.id}", {}).get("bounds")
        return key == text.name and bool(bounds) and bounds[1] == 1
    return False


def _is_share(config: ScoringConfig, key: str, spec: MetricSpec) -> bool:
    if not comes_with_the_product(spec.type):
        return False
    bounds = getattr(shipped().get(spec.type), "bounds", None)
    if bounds != "rewards":
        return bounds == (0.0, 1.0)
    reward = spec.reward or key.removeprefix(spec.name).removeprefix(":")
    declared = config.reward_bounds
    if not reward and len(declared) == 1:
        (reward,) = declared
    return reward in declared and declared[reward].bounds[1] <= 1.0
