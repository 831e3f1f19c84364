"""Text metrics by id on this server; matching ids ignores case.

They come from the `text` modules of SCORER_PACKAGES and from the entry-point group
`podium.text_metrics`, and run in the sandbox. If several have the same id, the first wins: packages
in the order of the setting, then entry points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from leaderboard.rules.json.untyped_dicts import PluginSettings
from leaderboard.rules.texts.messages import Message, message
from leaderboard.rules.texts.quoting import sent
from leaderboard.sandbox import PluginDescription, SandboxError
from leaderboard.sandbox.host.models import PARAMETER as MODEL
from leaderboard.services.plugins import sandboxes
from leaderboard.services.plugins.discovery import discovered, may_lack_some
from leaderboard.services.plugins.own import own_plugin
from leaderboard.services.plugins.precedence import place_of, too_late
from leaderboard.services.plugins.stamps import current_stamps
from leaderboard.services.plugins.tenants import of_everybody

KEY = "known-text-metrics"

_AWAY = message("Text metrics cannot be asked on this server at the moment.")


class UnknownTextMetric(LookupError):
    """No usable text metric with this id.

    The text lists the existing ones, or says why the one with this id cannot be used.
    """


class TextMetricsAway(UnknownTextMetric):
    """No text metric with this id is known at the moment, and there may be one."""


def known_text_metrics() -> list[PluginDescription]:
    """Every text metric that challenges may name, by id; cached for a minute, until a file changes.

    Metrics that are not installed are among them, with that error. Metrics that cannot be used at
    all are last and have the error that says why.
    """
    stamp = current_stamps().text_metrics
    return discovered(KEY, stamp, sandboxes.discover_text_metrics, _arranged, _AWAY)


def find_text_metric(metric_id: str, package: str = "") -> PluginDescription:
    """The text metric with an id, ignoring case. Raises UnknownTextMetric and TextMetricsAway.

    Also finds a known metric that is not installed; it has that error. package: the upload of the
    challenge, here and below; metrics of the server come before those in it.
    """
    metrics = known_text_metrics()
    called = [metric for metric in metrics if metric.name.casefold() == metric_id.casefold()]
    if usable := next(filter(is_usable, called), None):
        return usable
    if why := next(
        (metric.error.message for metric in called if metric.error and metric.name), None
    ):
        raise UnknownTextMetric(why)
    if may_lack_some(KEY, metrics):
        raise TextMetricsAway(_AWAY)
    if own := own_plugin(package, "text_metric", metric_id):
        return own
    names = ", ".join(metric.name for metric in of_everybody(metrics) if is_usable(metric))
    raise UnknownTextMetric(
        message(
            "must be one of the text metrics {names}; got {sent}",
            names=names or "–",
            sent=sent(metric_id),
        )
    )


def metric_that_computes(
    metric_id: str, parameters: Mapping[str, object], package: str = ""
) -> PluginDescription:
    """The text metric that computes an id with these parameters: the metric itself or a variant.

    Raises UnknownTextMetric.
    """
    metric = find_text_metric(metric_id, package)
    variants = (
        variant for name, variant in metric.variants.items() if parameters.get(name) is True
    )
    return find_text_metric(next(variants, metric.name), package)


def check_parameters(
    metric_id: str, parameters: PluginSettings, *, model_is_here: bool = True, package: str = ""
) -> dict[str, list[str]]:
    """Errors in parameters, by their names; {} if there are none. Raises UnknownTextMetric.

    The model is not checked for a metric that is not installed, or if `model_is_here` is false; the
    metric may then fail when it is computed.
    """
    metric = find_text_metric(metric_id, package)
    if metric.error is not None or not model_is_here:
        parameters = {name: value for name, value in parameters.items() if name != MODEL}
    try:
        check = sandboxes.check_parameters(metric.entrypoint, parameters)
    except SandboxError:
        return {"": [_AWAY]}
    return check.errors if check.failure is None else {"": [check.failure.message]}


def is_usable(metric: PluginDescription) -> bool:
    """Whether a challenge may name a text metric: it has no error, or is only not installed."""
    return metric.name != "" and (metric.error is None or metric.error.code == "not_installed")


def arranged(
    plugins: Iterable[PluginDescription],
    taken: Callable[[PluginDescription, PluginDescription], Message],
) -> list[PluginDescription]:
    """The plugins by id, unusable ones last; one whose id is taken gets an error.

    taken: the text of that error, for the plugin that has the id and the one that comes too late.
    """
    metrics: list[PluginDescription] = []
    holders: dict[str, PluginDescription] = {}
    for plugin in sorted(plugins, key=place_of):
        holder = holders.setdefault(plugin.name.casefold(), plugin) if is_usable(plugin) else plugin
        metrics.append(plugin if holder is plugin else too_late(plugin, taken(holder, plugin)))
    return sorted(metrics, key=lambda metric: (not is_usable(metric), metric.name))


def _taken(holder: PluginDescription, plugin: PluginDescription) -> Message:
    return message(
        "A text metric {name} is already registered (existing={existing}, new={new}).",
        name=repr(plugin.name),
        existing=holder.entrypoint,
        new=plugin.entrypoint,
    )


_arranged = partial(arranged, taken=_taken)
