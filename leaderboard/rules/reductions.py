"""From the evidence of an attempt to its metric values: reduce, and let no metric take others down.

This module knows no metric and starts no code of one: it is given a callable for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf, isfinite
from statistics import fmean
from typing import NotRequired, TypedDict

from leaderboard.rules.intervals import (
    Estimate,
    IntervalReason,
    InvalidValue,
    estimate,
    finite,
    mean_estimate,
)
from leaderboard.rules.metric_specs import SCRIPT, MetricSpec
from leaderboard.rules.rewards import Evidence, Lines, Sample, Seen, State
from leaderboard.rules.spec_names import ECONOMICS

Reduce = Callable[[Seen], Estimate]
"""A metric, ready to be asked. It may raise anything."""

Script = Callable[[Lines], Mapping[str, object]]
"""A metric script, ready to be run: what it printed. It may raise anything."""

MAX_SCRIPT_KEYS = 100


class MetricError(TypedDict):
    """Why a metric has no value; fit for the participant."""

    code: str
    message: str


class MetricValue(TypedDict):
    """One metric of one attempt: of samples of tasks, or of instances, which then stand for tasks.

    value: None when there is none; then `reason` says which of the three states it is, or `error`
    what went wrong. defined: tasks that the value is over, of `total` tasks. failed: samples that
    should have brought the reward and did not. standard_error, interval (95 %), method, n, seed,
    interval_reason: as in `intervals.Estimate`; values from before there was a reason lack it.
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
    reason: State | None
    error: MetricError | None


class MetricFailed(Exception):
    """A metric has no value, for a reason that is known. The message is fit for the participant."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def in_process(metric: object) -> Reduce:
    """A metric of our own as a `Reduce`: an object with `compute` (see scorers/protocol.py)."""
    return lambda seen: estimate(metric, seen.task_rewards, seen.packed, seen.bounds)


def metric_values(
    evidence: Evidence,
    specs: Iterable[MetricSpec],
    reduce_of: Callable[[MetricSpec], Reduce],
    script_of: Callable[[MetricSpec], Script],
) -> dict[str, MetricValue]:
    """The values of all metrics, and the economics of an attempt that reports usage, by key.

    reduce_of and script_of find the callable of a metric; they raise MetricFailed when there is
    none. Whatever one metric raises is its `error`, and the others stand.
    """
    values: dict[str, MetricValue] = {}
    for spec in specs:
        if spec.type == SCRIPT:
            values |= _script_values(evidence, spec, script_of)
            continue
        for key, reward in spec.keys(evidence.rewards):
            seen = evidence.seen(reward, failed=spec.failed, undefined=spec.undefined)
            values[key] = _reduced(seen, spec, reduce_of)
    return values | economics(evidence)


def _reduced(
    seen: Seen, spec: MetricSpec, reduce_of: Callable[[MetricSpec], Reduce]
) -> MetricValue:
    if seen.nothing == "undefined":
        return value_of(Estimate(None, 0), seen.total, seen.failed, seen.nothing)
    try:
        found = reduce_of(spec)(seen)
    except Exception as error:
        return _error(error, seen.total, seen.failed)
    # A metric may have no value though it saw some, as with too few samples: that is undefined.
    reason: State | None = (seen.nothing or "undefined") if found.value is None else None
    return value_of(found, seen.total, seen.failed, reason)


def _script_values(
    evidence: Evidence, spec: MetricSpec, script_of: Callable[[MetricSpec], Script]
) -> dict[str, MetricValue]:
    lines = evidence.lines(spec.reward, failed=spec.failed, undefined=spec.undefined)
    if not lines.rows:
        return {spec.name: value_of(Estimate(None, 0), lines.total, lines.failed, "not_run")}
    try:
        numbers = _numbers(script_of(spec)(lines))
    except Exception as error:
        return {spec.name: _error(error, lines.total, lines.failed)}
    return {
        spec.name if len(numbers) == 1 else f"{spec.name}:{key}": value_of(
            Estimate(value, lines.defined, interval_reason="not_estimated"),
            lines.total,
            lines.failed,
            "undefined" if value is None else None,
        )
        for key, value in numbers.items()
    }


def _numbers(answer: object) -> dict[str, float | None]:
    """What a script printed, as numbers by name; null is undefined. Raises InvalidValue."""
    if not isinstance(answer, Mapping) or not 1 <= len(answer) <= MAX_SCRIPT_KEYS:
        raise InvalidValue(f"The script must write an object of 1 to {MAX_SCRIPT_KEYS} numbers.")
    return {str(key): finite(value) for key, value in answer.items()}


def economics(evidence: Evidence) -> dict[str, MetricValue]:
    """Seconds, tokens and US dollars per task: the mean over tasks of their samples' means.

    Tasks and samples that do not report are left out; what nobody reports is absent.
    """
    values: dict[str, MetricValue] = {}
    for name in ECONOMICS:
        means = list(_task_means(evidence.samples, _USED[name]))
        if means:
            found = mean_estimate(means, _USED_BOUNDS)
            values[name] = value_of(found, len(evidence.tasks), 0, None)
    return values


def _task_means(
    samples: Iterable[Sequence[Sample]], used: Callable[[Mapping[str, float | None]], float | None]
) -> Iterator[float]:
    for ordered in samples:
        each = [used(sample.usage) for sample in ordered if sample.usage]
        reported = [value for value in each if value is not None]
        if reported:
            yield fmean(reported)


def _seconds(usage: Mapping[str, float | None]) -> float | None:
    elapsed = usage.get("elapsed_ms")
    return None if elapsed is None else elapsed / 1000


def _tokens(usage: Mapping[str, float | None]) -> float | None:
    """The total, else what went in and what came out; half of that is not known to be all."""
    total = usage.get("tokens_total")
    if total is not None:
        return total
    sent, received = usage.get("input_tokens"), usage.get("output_tokens")
    return None if sent is None or received is None else sent + received


def _dollars(usage: Mapping[str, float | None]) -> float | None:
    return usage.get("cost_usd")


_USED_BOUNDS = (0.0, inf)
_USED = dict(zip(ECONOMICS, (_seconds, _tokens, _dollars), strict=True))


def value_of(found: Estimate, total: int, failed: int, reason: State | None) -> MetricValue:
    """An estimate as a metric value, over `found.n` of `total`; `reason` says why there is none."""
    spread = (found.standard_error or 0.0, *(found.interval or ()))
    if not all(map(isfinite, spread)):
        # Rewards of 1e200 have a mean, but their squares are beyond every number.
        found = Estimate(found.value, found.n, interval_reason="too_large")
    return {
        "value": found.value,
        "defined": found.n,
        "total": total,
        "failed": failed,
        "standard_error": found.standard_error,
        "interval": list(found.interval) if found.interval else None,
        "method": found.method,
        "n": found.n,
        "seed": found.seed,
        "interval_reason": None if found.value is None else found.interval_reason,
        "reason": reason,
        "error": None,
    }


def _error(error: Exception, total: int, failed: int) -> MetricValue:
    value = value_of(Estimate(None, 0), total, failed, None)
    return value | {"error": _told(error)}


def _told(error: Exception) -> MetricError:
    if isinstance(error, MetricFailed):
        return {"code": error.code, "message": str(error)}
    if isinstance(error, InvalidValue):
        return {"code": "invalid_result", "message": str(error)}
    return {"code": "exception", "message": f"The metric stopped with {type(error).__name__[:60]}."}
