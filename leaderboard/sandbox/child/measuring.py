"""The verb `estimate`: compute a metric for the rewards of one attempt.

The request is four bytes of length and the rewards, a list of lists as marshal. The answer is one
line of JSON: the fields of an `Estimate`, or a failure.
"""

import marshal
from collections.abc import Callable
from functools import cache
from math import inf
from typing import Any, BinaryIO

from leaderboard.rules.plugins.results import encode_json
from leaderboard.sandbox.child.exceptions import describe_exception, stop_reason
from leaderboard.sandbox.child.plugins import (
    LoadFailed,
    ended_itself,
    load_class,
    missing_module,
    out_of_memory,
)
from leaderboard.sandbox.contract import Failure
from leaderboard.sandbox.jobs import EstimateJob

_Write = Callable[[str], None]


@cache
def intervals() -> Any:
    """The module `rules.rewards.intervals`, which computes the estimate.

    It needs numpy, which scoring does not need. The fork server imports it, because children can no
    longer find it, and continues if numpy is missing.
    """
    from leaderboard.rules.rewards import intervals

    return intervals


def answer_estimate(job: EstimateJob, requests: BinaryIO, write: _Write) -> None:
    """Answer with the estimate of one metric for one attempt's rewards."""
    task_rewards = marshal.loads(requests.read(int.from_bytes(requests.read(4), "little")))  # noqa: S302 - of the host
    try:
        low, high = job["bounds"]
        bounds = (-inf if low is None else low, inf if high is None else high)
        clusters = job.get("clusters", ())
        estimate = intervals().estimate(
            _metric(job), task_rewards, rewards=bounds, clusters=clusters
        )
        text = encode_json(estimate._asdict())
    except BaseException as error:
        text = encode_json({"failure": list(_failure(error, job["entrypoint"]))})
    write(text)


def _metric(job: EstimateJob) -> Any:
    metric = load_class(job, job["entrypoint"])()
    if job["k"] is not None:
        metric.k = job["k"]
    return metric


def _failure(error: BaseException, entrypoint: str) -> Failure:
    if isinstance(error, LoadFailed):
        return error.failure
    if isinstance(error, intervals().InvalidValue):
        return Failure("invalid_result", str(error))
    if isinstance(error, MemoryError):
        return out_of_memory(error, "metric")
    if isinstance(error, SystemExit):
        return ended_itself(error, "metric")
    if isinstance(error, ModuleNotFoundError):
        return missing_module(error, entrypoint.partition(":")[0], "metric")
    return Failure("exception", stop_reason("metric", error), describe_exception(error))
