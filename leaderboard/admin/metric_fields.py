"""The keys that the page of a challenge offers to rank by."""

from __future__ import annotations

from leaderboard.facts import rankable_keys
from leaderboard.models import ScoringConfig, User
from leaderboard.rules.texts.value_names import ECONOMICS
from leaderboard.schemas.text_metrics import enabled
from leaderboard.services.plugins.metric_registry import known_metrics
from leaderboard.services.plugins.tenants import visible_plugins


def known_rank_keys(config: ScoringConfig | None, user: User) -> list[str]:
    """The keys that the page offers: facts, metrics of the newest config, costs, others."""
    own: list[str] = []
    metrics = visible_plugins(user, known_metrics())
    installed = [metric.name.replace("K", "1") for metric in metrics if metric.error is None]
    if config:
        texts = [spec.name for spec in enabled(config.named_specs)]
        own = [spec.name for spec in config.metric_specs] + texts + config.metric_keys
    return list(dict.fromkeys([*rankable_keys(), *own, *ECONOMICS, *installed]))
