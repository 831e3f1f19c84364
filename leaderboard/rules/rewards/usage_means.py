"""Time, tokens and cost of an attempt, from the usage that its samples report."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from statistics import fmean
from typing import Final

from leaderboard.rules.rewards.clusters import cluster_numbers
from leaderboard.rules.rewards.evidence import RewardEvidence
from leaderboard.rules.rewards.intervals import Estimate, mean_estimate
from leaderboard.rules.texts.value_names import ECONOMICS

_BOUNDS: Final = (0.0, inf)


def economics_estimates(evidence: RewardEvidence) -> dict[str, Estimate]:
    """Seconds, tokens and US dollars per task: the mean over tasks of their samples' means.

    Tasks and samples without reported usage are left out; a value without any is absent.
    """
    means = ((name, usage_by_task(evidence, name)) for name in ECONOMICS)
    return {
        name: mean_estimate(
            [*by_task.values()], _BOUNDS, cluster_numbers([*by_task], evidence.clusters)
        )
        for name, by_task in means
        if by_task
    }


def usage_by_task(evidence: RewardEvidence, name: str) -> dict[str, float]:
    """The means of the samples that report usage, by task. name: one of `ECONOMICS`."""
    means: dict[str, float] = {}
    for task, ordered in zip(evidence.tasks, evidence.samples, strict=True):
        amounts = [_USED[name](sample.usage) for sample in ordered if sample.usage]
        reported = [value for value in amounts if value is not None]
        if reported:
            means[task] = fmean(reported)
    return means


def _seconds(usage: Mapping[str, float | None]) -> float | None:
    elapsed = usage.get("elapsed_ms")
    return None if elapsed is None else elapsed / 1000


def _tokens(usage: Mapping[str, float | None]) -> float | None:
    """The total, or the sum of input and output tokens; one of the two alone is not enough."""
    total = usage.get("tokens_total")
    if total is not None:
        return total
    sent, received = usage.get("input_tokens"), usage.get("output_tokens")
    return None if sent is None or received is None else sent + received


def _dollars(usage: Mapping[str, float | None]) -> float | None:
    return usage.get("cost_usd")


_USED = dict(zip(ECONOMICS, (_seconds, _tokens, _dollars), strict=True))
