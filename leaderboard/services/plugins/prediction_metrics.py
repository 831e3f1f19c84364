"""Metrics of predictions by id on this server; matching ids ignores case.

They come from the `predictions` modules of SCORER_PACKAGES and from the entry-point group
`podium.prediction_metrics`, and run in the sandbox. If several have the same id, the first wins.
"""

from __future__ import annotations

from functools import partial

from leaderboard.predictions.layouts import Kind, metric_kinds
from leaderboard.rules.json.untyped_dicts import PluginSettings
from leaderboard.rules.texts.messages import Message, message
from leaderboard.rules.texts.quoting import sent
from leaderboard.sandbox import PluginDescription, SandboxError
from leaderboard.services.plugins import predictions
from leaderboard.services.plugins.discovery import discovered, may_lack_some
from leaderboard.services.plugins.stamps import current_stamps
from leaderboard.services.plugins.tenants import of_everybody
from leaderboard.services.plugins.text_metrics import arranged, is_usable

KEY = "known-prediction-metrics"

_AWAY = message("Metrics of predictions cannot be asked on this server at the moment.")


class UnknownPredictionMetric(LookupError):
    """No usable metric of predictions with this id; the text lists those that there are."""


class PredictionMetricsAway(UnknownPredictionMetric):
    """No metric of predictions with this id is known at the moment, and there may be one."""


def known_prediction_metrics() -> list[PluginDescription]:
    """Every metric of predictions, by id; cached for a minute, until a file changes.

    Metrics that are not installed are among them, with that error. Metrics that cannot be used at
    all are last and have the error that says why.
    """
    stamp = current_stamps().prediction_metrics
    return discovered(KEY, stamp, predictions.discover_prediction_metrics, _arranged, _AWAY)


def metrics_of_kind(kind: Kind) -> list[PluginDescription]:
    """The metrics that can measure rows of a kind and are installed."""
    return [
        metric
        for metric in known_prediction_metrics()
        if metric.error is None and metric.rows in metric_kinds(kind)
    ]


def find_prediction_metric(metric_id: str) -> PluginDescription:
    """The metric of predictions with an id, ignoring case; it may have the error `not_installed`.

    Raises UnknownPredictionMetric and PredictionMetricsAway.
    """
    metrics = known_prediction_metrics()
    for metric in metrics:
        if metric.name.casefold() == metric_id.casefold():
            if is_usable(metric):
                return metric
            raise UnknownPredictionMetric(metric.error.message if metric.error else "")
    if may_lack_some(KEY, metrics):
        raise PredictionMetricsAway(_AWAY)
    names = ", ".join(metric.name for metric in of_everybody(metrics) if is_usable(metric))
    text = message(
        "must be one of the metrics of predictions {names}; got {sent}",
        names=names or "–",
        sent=sent(metric_id),
    )
    raise UnknownPredictionMetric(text)


def check_parameters(metric_id: str, parameters: PluginSettings) -> dict[str, list[str]]:
    """Errors in parameters, by their names; {} if there are none.

    Raises UnknownPredictionMetric.
    """
    metric = find_prediction_metric(metric_id)
    try:
        check = predictions.check_prediction_parameters(metric.entrypoint, parameters)
    except SandboxError:
        return {"": [_AWAY]}
    return check.errors if check.failure is None else {"": [check.failure.message]}


def _taken(holder: PluginDescription, plugin: PluginDescription) -> Message:
    return message(
        "A metric of predictions {name} is already registered (existing={existing}, new={new}).",
        name=repr(plugin.name),
        existing=holder.entrypoint,
        new=plugin.entrypoint,
    )


_arranged = partial(arranged, taken=_taken)
