"""Metrics of predictions by id on this server; matching ids ignores case.

They come from the `predictions` modules of SCORER_PACKAGES and from the entry-point group
`podium.prediction_metrics`, and run in the sandbox.
"""

from __future__ import annotations

from leaderboard.rules.json.open_dicts import PluginSettings
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.sandbox import PluginDescription, SandboxError
from leaderboard.services.plugins import predictions
from leaderboard.services.plugins.discovery import discovered
from leaderboard.services.plugins.stamps import current_stamps
from leaderboard.services.plugins.tenants import of_everybody
from leaderboard.services.plugins.text_metrics import arranged_by_id, is_usable

KEY = "known-prediction-metrics"

_AWAY = message("Metrics of predictions cannot be asked on this server at the moment.")


class UnknownPredictionMetric(LookupError):
    """No usable metric of predictions with this id; the text lists those that exist."""


def known_prediction_metrics() -> list[PluginDescription]:
    """Every metric of predictions that challenges may name, by id, as `known_text_metrics`."""
    stamp = current_stamps().prediction_metrics
    return discovered(KEY, stamp, predictions.discover_prediction_metrics, arranged_by_id, _AWAY)


def find_prediction_metric(metric_id: str) -> PluginDescription:
    """The metric of predictions with an id. Raises UnknownPredictionMetric."""
    metrics = known_prediction_metrics()
    wanted = metric_id.casefold()
    called = [metric for metric in metrics if metric.name.casefold() == wanted]
    if usable := next(filter(is_usable, called), None):
        return usable
    if why := next((metric.error.message for metric in called if metric.error), None):
        raise UnknownPredictionMetric(why)
    names = ", ".join(metric.name for metric in of_everybody(metrics) if is_usable(metric))
    raise UnknownPredictionMetric(
        message(
            "must be one of the metrics of predictions {names}; got {sent}",
            names=names or "–",
            sent=sent(metric_id),
        )
    )


def check_prediction_parameters(
    metric: PluginDescription, parameters: PluginSettings
) -> dict[str, list[str]]:
    """Errors in parameters, by their names; {} if there are none."""
    try:
        check = predictions.check_prediction_parameters(metric.entrypoint, parameters)
    except SandboxError:
        return {"": [_AWAY]}
    return check.errors if check.failure is None else {"": [check.failure.message]}
