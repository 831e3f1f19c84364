"""Computes metric values from the evidence of an attempt; a failing metric does not affect others.

This module knows no metric and starts no code of one: the caller passes a callable for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, Literal, NotRequired, TypedDict, TypeVar

from leaderboard.rules.rewards.evidence import RewardEvidence, RewardState
from leaderboard.rules.rewards.intervals import (
    Estimate,
    IntervalReason,
    InvalidValue,
    estimate,
    finite,
    mean_of_groups,
)
from leaderboard.rules.rewards.judged_means import JudgedMean
from leaderboard.rules.rewards.metric_inputs import MetricInput, ScriptInput
from leaderboard.rules.rewards.reducible import SCRIPT, Reducible
from leaderboard.rules.rewards.usage_means import economics_estimates

Reduce = Callable[[MetricInput], Estimate]
"""A metric, ready to be asked. It may raise anything."""

M = TypeVar("M", bound=Reducible)

Script = Callable[[ScriptInput], Mapping[str, object]]
"""A metric script, ready to be run: what it printed. It may raise anything."""

MAX_SCRIPT_KEYS = 100


Level = Literal["computed", "reported"]
"""Whether a value is computed here from evidence, or stated by the participant."""

NotRanked = Literal["low_coverage", "reported"]
"""Why a value that is there does not rank: it is over too few tasks, or only stated."""


class MetricError(TypedDict):
    """Why a metric has no value, in a text suitable for the participant."""

    code: str
    message: str


class MetricValue(TypedDict):
    """One metric of one attempt: of samples of tasks, or of instances, which then stand for tasks.

    value: None if there is none; then `reason` names one of the three states, or `error` the error.
    A value over no task has a `reason` too. defined: the number of tasks that the value covers, of
    `total` tasks. failed: samples that lack a reward which they should have. standard_error,
    interval (95 %), method, n, seed, interval_reason: as in `intervals.Estimate`; older values lack
    the reason, and values over no task have none.

    level: "reported" for a value that the participant reports; computed if absent. reported: the
    reported value beside a computed one. not_ranked: why the value does not rank, if so.
    clusters: how many clusters of tasks the standard error and the interval are over, if they are
    not over tasks. few_samples: of a value that is undefined for this reason, the most samples of a
    task, and how many the metric needs. judged: of a mean of a reward that a judge has decided,
    what people's labels say.
    """

    value: float | None
    defined: int
    total: int
    failed: int
    standard_error: float | None
    interval: list[float] | None
    method: str
    n: int
    seed: int | None
    interval_reason: NotRequired[IntervalReason | None]
    reason: RewardState | None
    error: MetricError | None
    level: NotRequired[Level]
    reported: NotRequired[float]
    not_ranked: NotRequired[NotRanked]
    few_samples: NotRequired[list[int]]
    clusters: NotRequired[int]
    judged: NotRequired[JudgedMean]


class MetricFailed(Exception):
    """A metric has no value, for a known reason. The message is suitable for the participant."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


def in_process(metric: object) -> Reduce:
    """A metric of our own as a `Reduce`: an object with `compute` (see scorers/protocol.py).

    A metric with `weighted_by` gets the weights of only those tasks that have a sample.
    """
    if hasattr(metric, "weighted_by"):
        return lambda metric_input: _weighted(metric, metric_input)
    return lambda metric_input: estimate(
        metric,
        metric_input.task_rewards,
        metric_input.packed,
        metric_input.bounds,
        metric_input.clusters,
    )


def _weighted(metric: Any, metric_input: MetricInput) -> Estimate:
    weights = metric_input.weights or [1.0] * metric_input.total
    both = [pair for pair in zip(weights, metric_input.task_rewards, strict=True) if pair[1]]
    rewards = [rewards for _, rewards in both]
    weighted = metric.weighted_by([weight for weight, _ in both])
    clusters = [
        cluster
        for cluster, samples in zip(metric_input.clusters, metric_input.task_rewards, strict=False)
        if samples
    ]
    return estimate(weighted, rewards, metric_input.packed, metric_input.bounds, clusters)


def metric_values(
    evidence: RewardEvidence,
    specs: Iterable[M],
    reduce_of: Callable[[M], Reduce],
    script_of: Callable[[M], Script],
) -> dict[str, MetricValue]:
    """The values of all metrics, and the economics of an attempt that reports usage, by key.

    reduce_of and script_of find the callable of a metric; they raise MetricFailed if there is none.
    An exception of one metric becomes its `error` and does not affect the others.
    """
    values: dict[str, MetricValue] = {}
    for spec in specs:
        if spec.compares:
            continue  # Its values are of a whole board.
        spec_values = _values(evidence, spec, reduce_of, script_of)
        values |= {key: _covering(value, spec) for key, value in spec_values.items()}
    return values | economics(evidence)


def _values(
    evidence: RewardEvidence,
    spec: M,
    reduce_of: Callable[[M], Reduce],
    script_of: Callable[[M], Script],
) -> dict[str, MetricValue]:
    """The values of one metric, by key."""
    if spec.type == SCRIPT:
        return _script_values(evidence, spec, script_of)
    keys = spec.keys(evidence.rewards)
    if spec.over:
        return {key: _over_groups(evidence, spec, reward, reduce_of) for key, reward in keys}
    return {
        key: _reduced(_metric_input(evidence, spec, reward, spec.group), spec, reduce_of)
        for key, reward in keys
    }


def _covering(value: MetricValue, spec: Reducible) -> MetricValue:
    """The value, marked if it covers fewer of its tasks than the metric requires."""
    if spec.min_coverage is None or value["value"] is None:
        return value
    if value["defined"] / (value["total"] or 1) >= spec.min_coverage:
        return value
    return {**value, "not_ranked": "low_coverage"}


def _over_groups(
    evidence: RewardEvidence,
    spec: M,
    reward: str | None,
    reduce_of: Callable[[M], Reduce],
) -> MetricValue:
    """The mean of a metric's values over each group of tasks that has a value.

    The numbers of defined, failed and all are sums over the groups. Tasks without a group do not
    count.
    """
    inputs = [_metric_input(evidence, spec, reward, group) for group in evidence.groups]
    total = sum(metric_input.total for metric_input in inputs)
    failed = sum(metric_input.failed for metric_input in inputs)
    try:
        estimates = [
            reduce_of(spec)(metric_input) for metric_input in inputs if metric_input.nothing is None
        ]
        of_groups = [one for one in estimates if one.value is not None]
        if of_groups:
            return value_of(mean_of_groups(of_groups), total, failed, None)
    except Exception as error:
        return _error(error, total, failed)
    return value_of(Estimate(None, 0), total, failed, _why_none(inputs))


def _why_none(inputs: Sequence[MetricInput]) -> RewardState:
    states = {metric_input.nothing for metric_input in inputs}
    order: tuple[RewardState, ...] = ("failed", "not_run")
    return next((state for state in order if state in states), "undefined")


def _metric_input(
    evidence: RewardEvidence, spec: Reducible, reward: str | None, group: str | None
) -> MetricInput:
    return evidence.metric_input(reward, failed=spec.failed, undefined=spec.undefined, group=group)


def _reduced(metric_input: MetricInput, spec: M, reduce_of: Callable[[M], Reduce]) -> MetricValue:
    if metric_input.nothing == "undefined":
        return value_of(
            Estimate(None, 0), metric_input.total, metric_input.failed, metric_input.nothing
        )
    try:
        result = reduce_of(spec)(metric_input)
    except Exception as error:
        return _error(error, metric_input.total, metric_input.failed)
    # A metric may have no value though it saw some, as with too few samples: that is undefined.
    # EvSys' metrics have a value over no task at all, which has a reason as well.
    missing: RewardState = metric_input.nothing or "undefined"
    reason = missing if result.value is None or not result.n else None
    value = value_of(result, metric_input.total, metric_input.failed, reason)
    most = max(map(len, metric_input.task_rewards), default=0)
    if result.value is None and result.needed is not None and 0 < most < result.needed:
        value["few_samples"] = [most, result.needed]
    return value


def _script_values(
    evidence: RewardEvidence, spec: M, script_of: Callable[[M], Script]
) -> dict[str, MetricValue]:
    script_input = evidence.script_input(
        spec.reward, failed=spec.failed, undefined=spec.undefined, group=spec.group
    )
    if not script_input.rows:
        return {
            spec.name: value_of(
                Estimate(None, 0), script_input.total, script_input.failed, "not_run"
            )
        }
    try:
        numbers = _numbers(script_of(spec)(script_input))
    except Exception as error:
        return {spec.name: _error(error, script_input.total, script_input.failed)}
    return {
        spec.name if len(numbers) == 1 else f"{spec.name}:{key}": value_of(
            Estimate(value, script_input.defined, interval_reason="not_estimated"),
            script_input.total,
            script_input.failed,
            "undefined" if value is None else None,
        )
        for key, value in numbers.items()
    }


def _numbers(answer: object) -> dict[str, float | None]:
    """A script's output as numbers by name; null is undefined. Raises InvalidValue."""
    if not isinstance(answer, Mapping) or not 1 <= len(answer) <= MAX_SCRIPT_KEYS:
        raise InvalidValue(f"The script must write an object of 1 to {MAX_SCRIPT_KEYS} numbers.")
    return {str(key): finite(value) for key, value in answer.items()}


def economics(evidence: RewardEvidence) -> dict[str, MetricValue]:
    """The time, tokens and cost per task of an attempt, as far as its samples report usage."""
    total = len(evidence.tasks)
    estimates = economics_estimates(evidence)
    return {name: value_of(economy, total, 0, None) for name, economy in estimates.items()}


def value_of(result: Estimate, total: int, failed: int, reason: RewardState | None) -> MetricValue:
    """An estimate as a metric value, over `result.n` of `total`; `reason`: why there is none."""
    spread = (result.standard_error or 0.0, *(result.interval or ()))
    if not all(map(isfinite, spread)):
        # Rewards of 1e200 have a mean, but their squares are beyond every number.
        result = Estimate(result.value, result.n, interval_reason="too_large")
    value: MetricValue = {
        "value": result.value,
        "defined": result.n,
        "total": total,
        "failed": failed,
        "standard_error": result.standard_error,
        "interval": list(result.interval) if result.interval else None,
        "method": result.method,
        "n": result.n,
        "seed": result.seed,
        "interval_reason": None if result.value is None or not result.n else result.interval_reason,
        "reason": reason,
        "error": None,
    }
    if result.clusters is not None:
        value["clusters"] = result.clusters
    return value


def _error(error: Exception, total: int, failed: int) -> MetricValue:
    value = value_of(Estimate(None, 0), total, failed, None)
    return value | {"error": _metric_error(error)}


def _metric_error(error: Exception) -> MetricError:
    if isinstance(error, MetricFailed):
        return {"code": error.code, "message": str(error)}
    if isinstance(error, InvalidValue):
        return {"code": "invalid_result", "message": str(error)}
    return {"code": "exception", "message": f"The metric stopped with {type(error).__name__[:60]}."}
