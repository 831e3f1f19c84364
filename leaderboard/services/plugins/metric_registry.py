"""Metrics by name on this server: those that come with Podium, and those of plugins.

Podium's own metrics run in this process. Metrics of plugins come from the `metrics` modules of
SCORER_PACKAGES and from the entry-point groups `podium.metrics` and `evsys_sdk.metrics`, and run in
the sandbox. If several have the same name, the first wins: Podium's own, then packages, then entry
points.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterable

from django.conf import settings

import scorers.metrics
from leaderboard.rules.rewards.intervals import Estimate
from leaderboard.rules.rewards.metric_inputs import MetricInput
from leaderboard.rules.rewards.reductions import MetricFailed, Reduce, in_process
from leaderboard.rules.texts.messages import Message, message
from leaderboard.sandbox import Failure, HostOverfull, PluginDescription, SandboxError
from leaderboard.schemas.metrics import MetricSpec
from leaderboard.services.plugins import sandboxes
from leaderboard.services.plugins.discovery import discovered, may_lack_some
from leaderboard.services.plugins.own import own_plugin
from leaderboard.services.plugins.precedence import place_of, too_late
from leaderboard.services.plugins.stamps import current_stamps
from leaderboard.services.plugins.tenants import EVERYBODY, may_use, not_yours, of_everybody
from scorers.metrics.registry import SHIPPED, family_of, shipped

KEY = "known-metrics"

_OURS = frozenset(f"{scorers.metrics.__name__}.{name}" for name in SHIPPED)
_AWAY = message("Metrics of plugins cannot be asked on this server at the moment.")


class MetricsAway(MetricFailed):
    """No metric with this name is known at the moment, and there may be one."""


log = logging.getLogger(__name__)


def known_metrics() -> list[PluginDescription]:
    """Every metric that a challenge may name, by name; cached for a minute, until a file changes.

    A name with a K stands for every number in its place. Metrics that cannot be used are last and
    have the error that says why.
    """
    stamp = current_stamps().metrics
    return discovered(
        KEY, stamp, lambda: sandboxes.discover_metrics(without=_OURS), _arranged, _AWAY
    )


def why_unknown(name: str, package: str = "") -> str:
    """Why no challenge can name this metric; "" if challenges can.

    package: the upload of the challenge, here and below; "" for no challenge, or one without.
    """
    if _is_ours(name):
        return ""
    try:
        _find(name, package)
    except MetricFailed as error:
        return error.message
    return ""


def entrypoint_of(name: str, package: str = "") -> str:
    """`module:Class` of a plugin's metric by its name; "" if it cannot be found at the moment."""
    try:
        return _find(name, package)[0].entrypoint
    except MetricFailed:
        return ""


def find_metric(name: str, package: str = "") -> PluginDescription | None:
    """The description of a plugin's metric by its name; None if it cannot be found."""
    try:
        return _find(name, package)[0]
    except MetricFailed:
        return None


def reduce_of(
    spec: MetricSpec,
    timeout_ms: int | None = None,
    *,
    tenant: str = EVERYBODY,
    package: str = "",
) -> Reduce:
    """The metric of a spec as a function, which raises MetricFailed if a plugin fails.

    timeout_ms: for each call of a plugin, SCORER_TIMEOUT_MS if None. tenant: the slug of the tenant
    that calls. Raises MetricFailed: `not_installed` for an unknown name, with a text that lists the
    known ones; `load_error` for a plugin of another tenant. Raises SandboxError if the metrics of
    plugins cannot be asked at the moment.
    """
    plugin = plugin_of(spec.type, tenant, package)
    if plugin is None:
        return in_process(shipped().get(spec.type)())
    entrypoint, k = plugin
    limit = settings.SCORER_TIMEOUT_MS if timeout_ms is None else timeout_ms
    return lambda metric_input: _estimated(spec.type, entrypoint, metric_input, limit, k)


def plugin_of(name: str, tenant: str, package: str = "") -> tuple[str, int | None] | None:
    """The entry point of a plugin's metric and the number in its name; None for one of our own.

    Raises MetricFailed and SandboxError like `reduce_of`.
    """
    if _is_ours(name):
        return None
    try:
        metric, k = _find(name, package)
    except MetricsAway as error:
        raise SandboxError(error.message) from None
    if not may_use(metric.entrypoint, tenant):
        failure = not_yours()
        raise MetricFailed(failure.code, failure.message)
    return metric.entrypoint, k


def family(name: str) -> str:
    """`pass@K` for `pass@3`; the name itself if it has no number."""
    parts = family_of(name)
    return parts[0] if parts else name


def _arranged(plugins: Iterable[PluginDescription]) -> list[PluginDescription]:
    return sorted(_named(plugins), key=lambda plugin: (plugin.error is not None, plugin.name))


def _named(plugins: Iterable[PluginDescription]) -> list[PluginDescription]:
    """Podium's metrics and those of plugins; a plugin whose name is taken gets an error."""
    metrics = {metric.name: metric for metric in _shipped()}
    broken: list[PluginDescription] = []
    for plugin in sorted(plugins, key=place_of):
        holder = metrics.get(plugin.name) or metrics.get(family(plugin.name))
        if plugin.error is not None:
            broken.append(plugin)
        elif holder is not None:
            broken.append(too_late(plugin, _taken(holder, plugin)))
        else:
            metrics[plugin.name] = plugin
    return [*metrics.values(), *broken]


def _shipped() -> Iterable[PluginDescription]:
    registry = shipped()
    for name in registry.names():
        cls = registry.get(name.replace("K", "1"))
        cls = cls.__base__ if name != cls.name and cls.__base__ is not None else cls
        yield PluginDescription(
            entrypoint=f"{cls.__module__}:{cls.__name__}",
            name=name,
            doc=inspect.getdoc(cls) or "",
            over=cls.over,
            direction=getattr(cls, "direction", "desc"),
            unit=getattr(cls, "unit", ""),
        )


def _taken(holder: PluginDescription, plugin: PluginDescription) -> Message:
    return message(
        "A metric {name} is already registered (existing={existing}, new={new}).",
        name=repr(plugin.name),
        existing=holder.entrypoint,
        new=plugin.entrypoint,
    )


def _is_ours(name: str) -> bool:
    try:
        shipped().get(name)
    except KeyError:
        return False
    return True


def _find(name: str, package: str = "") -> tuple[PluginDescription, int | None]:
    """The metric of a name, and the number in the name. Raises MetricFailed and MetricsAway.

    Metrics of the server come first: no upload can take the place of one of them.
    """
    metrics = known_metrics()
    usable = {metric.name: metric for metric in metrics if metric.error is None}
    numbered = family_of(name)
    # A number that a family of ours does not accept, as in percentile@101, names no metric.
    if numbered and numbered[0] in usable and numbered[0] not in shipped().names():
        return usable[numbered[0]], numbered[1]
    if name in usable and family_of(name.replace("K", "1")) is None:
        return usable[name], None
    if may_lack_some(KEY, metrics):
        raise MetricsAway("load_error", _AWAY)
    if own := own_plugin(package, "metric", name):
        return own, None
    if numbered and (own := own_plugin(package, "metric", numbered[0])):
        return own, numbered[1]
    available = ", ".join(metric.name for metric in of_everybody(usable.values()))
    text = message(
        "No metric registered under {name}. Available: {available}",
        name=repr(name),
        available=available,
    )
    raise MetricFailed("not_installed", text)


def _estimated(
    name: str, entrypoint: str, metric_input: MetricInput, timeout_ms: int, k: int | None
) -> Estimate:
    try:
        estimate = sandboxes.estimate(
            entrypoint,
            metric_input.task_rewards,
            timeout_ms=timeout_ms,
            k=k,
            bounds=metric_input.bounds,
            clusters=metric_input.clusters,
        )
    except HostOverfull:
        raise
    except SandboxError as error:
        log.warning("Metrics of plugins are not available: %s", error)
        raise MetricFailed("load_error", _AWAY) from None
    if isinstance(estimate, Failure):
        log.warning("The metric %s failed: %s %s", name, estimate.message, estimate.detail)
        raise MetricFailed(estimate.code, estimate.message)
    return estimate
