"""Names that mean a metric on this server, whether a challenge lists it or not."""

from __future__ import annotations

from leaderboard.facts import rankable_keys
from leaderboard.models import Challenge, ScoringConfig
from leaderboard.rules.metric_specs import MetricSpec, spec_of
from leaderboard.rules.spec_names import ECONOMICS
from leaderboard.rules.text_specs import text_spec_of
from leaderboard.rules.win_rates import WIN_RATE
from leaderboard.services.evaluation.metrics import built_in
from leaderboard.services.plugins import metric_registry
from leaderboard.services.plugins.tenants import of_everybody
from leaderboard.services.plugins.text_metrics import is_usable, known_text_metrics
from scorers.metrics.registry import shipped


def metric_called(key: str) -> str:
    """The metric of a key: `mean` for `mean` or `mean:physics`; "" if there is none.

    Looks for the metrics of plugins in the sandbox, at most once a minute.
    """
    for name in dict.fromkeys((key, key.partition(":")[0])):
        if name == WIN_RATE:
            continue  # Boards report one under this name, and it cannot be listed by name alone.
        if built_in(MetricSpec(name, name)) or not metric_registry.why_unknown(name):
            return name
    return ""


def text_metric_called(key: str) -> str:
    """The text metric of a key, by its exact id; "" if there is none."""
    name = key.partition(":")[0]
    return name if name in text_metric_names() else ""


def text_metric_names() -> list[str]:
    return [each.name for each in known_text_metrics() if is_usable(each)]


def metric_names() -> list[str]:
    """Every metric of rewards that any challenge may list; a name with a K stands for each number.

    Text metrics are not among them: many participants report values called `f1` and `bleu`.
    """
    return [
        *shipped().names(),
        *(
            each.name
            for each in of_everybody(metric_registry.known_metrics())
            if each.error is None
        ),
    ]


def told_of_names(challenge: Challenge) -> list[str]:
    """The warning for an organiser whose board ranks by a reported value with a metric's name.

    Boards from before such names were refused work as before; nothing computes the value.
    """
    config = challenge.newest
    reported = [key for key in config.ranked_keys if _is_reported(config, key)]
    return [
        f"This board ranks by {key}, which participants report: nothing computes it here, though "
        f"it is the name of a metric. In the challenge: {line}."
        for key in reported
        if (line := line_to_add(key))
    ]


def _is_reported(config: ScoringConfig, key: str) -> bool:
    if key in (*rankable_keys(), *ECONOMICS) or spec_of(key, config.metric_specs):
        return False
    return text_spec_of(key, config.text_specs) is None


def line_to_add(key: str) -> str:
    """What to add to a challenge so that it has the metric of a key; "" when the key is of none."""
    if name := metric_called(key):
        listed = f'to compute it, add "{name}" to metrics'
        return f'{listed}; to take it as reported, add {{"type": "{name}", "reported": "rank"}}'
    if name := text_metric_called(key):
        listed = f'to compute it, add "{name}" to text_metrics'
        return f'{listed}; to take it as reported, add {{"id": "{name}", "reported": "rank"}}'
    return ""
