"""Which names belong to a metric of this server, even if no challenge lists the metric."""

from __future__ import annotations

from django.utils.translation import gettext

from leaderboard.models import Challenge
from leaderboard.rules.ranking.win_rates import WIN_RATE
from leaderboard.services.evaluation.metrics import comes_with_the_product
from leaderboard.services.evaluation.reported_values import is_reported
from leaderboard.services.plugins import metric_registry
from leaderboard.services.plugins.tenants import of_everybody
from leaderboard.services.plugins.text_metrics import is_usable, known_text_metrics
from scorers.metrics.registry import shipped


def metric_called(key: str) -> str:
    """The metric of a key: `mean` for `mean` or `mean:physics`; "" if there is none.

    Asks the sandbox for the metrics of plugins, at most once a minute.
    """
    for name in dict.fromkeys((key, key.partition(":")[0])):
        if name == WIN_RATE:
            continue  # A board shows a value of this name, but "metrics" cannot list the bare name.
        if comes_with_the_product(name) or not metric_registry.why_unknown(name):
            return name
    return ""


def text_metric_called(key: str) -> str:
    """The text metric of a key, by its exact id; "" if there is none."""
    name = key.partition(":")[0]
    usable = {metric.name for metric in known_text_metrics() if is_usable(metric)}
    return name if name in usable else ""


def metric_names() -> list[str]:
    """Every metric of rewards that any challenge may list; K in a name stands for any number.

    Text metrics are not among them: many participants report values called `f1` and `bleu`.
    """
    return [
        *shipped().names(),
        *(
            metric.name
            for metric in of_everybody(metric_registry.known_metrics())
            if metric.error is None
        ),
    ]


def warnings_of_names(challenge: Challenge) -> list[str]:
    """Warnings for the organiser of a board that ranks by a reported value named like a metric.

    Such names are refused now. Older boards still work, but nothing computes their value.
    """
    config = challenge.newest
    reported = [key for key in config.ranked_keys if is_reported(config, key)]
    return [
        gettext(
            "This board ranks by {key}, which participants report: nothing computes it here, "
            "though it is the name of a metric. In the challenge: {advice}."
        ).format(key=key, advice=line)
        for key in reported
        if (line := line_to_add(key))
    ]


def line_to_add(key: str) -> str:
    """The text to add to a challenge to get the metric of a key; "" if no metric has the key."""
    if name := metric_called(key):
        return gettext(
            'to compute it, add "{name}" to metrics; '
            'to take it as reported, add {{"type": "{name}", "reported": "rank"}}'
        ).format(name=name)
    if name := text_metric_called(key):
        return gettext(
            'to compute it, add "{name}" to text_metrics; '
            'to take it as reported, add {{"id": "{name}", "reported": "rank"}}'
        ).format(name=name)
    return ""
