"""The metrics of this server: which there are, and how each is asked."""

from __future__ import annotations

from typing import NoReturn

from leaderboard.rules.metric_specs import SCRIPT, MetricSpec
from leaderboard.rules.reductions import MetricFailed, Reduce, in_process
from scorers.metrics.registry import shipped


def why_unknown(type_: str) -> str:
    """Why a challenge cannot name this metric, "" if it can."""
    try:
        shipped().get(type_)
    except KeyError as error:
        return str(error.args[0])
    return ""


def built_in(spec: MetricSpec) -> bool:
    """Whether it comes with the product, so that it may run in any process of ours."""
    return spec.type != SCRIPT and not why_unknown(spec.type)


def runs_scripts() -> bool:
    """Whether metric scripts are run on this server."""
    return False


def reduce_of(spec: MetricSpec) -> Reduce:
    """The metric of a spec, ready to be asked. Raises MetricFailed when there is none here."""
    try:
        return in_process(shipped().get(spec.type)())
    except KeyError:
        raise MetricFailed("not_installed", f"There is no metric {spec.type} here.") from None


def script_of(spec: MetricSpec) -> NoReturn:
    """Scripts are refused when a challenge is saved; a row may hold one all the same."""
    raise MetricFailed("not_installed", "Metric scripts are not run on this server.")
