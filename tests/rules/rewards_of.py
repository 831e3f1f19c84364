"""A short notation of evidence, the values that shipped metrics give for it, and a strategy of any
evidence for property tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hypothesis import strategies as st

from leaderboard.rules.rewards.evidence import (
    ONLY_REWARD,
    DeclaredTask,
    Policy,
    RewardEvidence,
    Sample,
)
from leaderboard.rules.rewards.reductions import (
    MetricFailed,
    MetricValue,
    Reduce,
    Script,
    in_process,
    metric_values,
)
from leaderboard.schemas.metrics import MetricSpec, parse_metrics
from scorers.metrics.registry import shipped

EvaluationDraft = Mapping[str, float | None] | None


def attempt(
    tasks: Mapping[str, Sequence[EvaluationDraft]],
    declared: Mapping[str, Sequence[str]] | None = None,
) -> RewardEvidence:
    """Return evidence with the rewards of each sample by task; None is a failed sample."""
    return RewardEvidence(samples_of(tasks), declare(declared or {}), tasks=tasks)


def of_task_rewards(
    task_rewards: Mapping[str, Sequence[float | None]], declared: Iterable[DeclaredTask] = ()
) -> RewardEvidence:
    """Return evidence of the only reward: its values by task; None is a failed sample."""
    samples = (
        Sample(task, number, None if value is None else {ONLY_REWARD: value})
        for task, values in task_rewards.items()
        for number, value in enumerate(values)
    )
    return RewardEvidence(samples, declared, tasks=task_rewards, reward=ONLY_REWARD)


def values_of(evidence: RewardEvidence, *metrics: object) -> dict[str, MetricValue]:
    """Return the values of shipped metrics; no script can run."""
    return metric_values(evidence, parse_metrics(metrics), shipped_metric, no_script)


def shipped_metric(spec: MetricSpec) -> Reduce:
    try:
        return in_process(shipped().get(spec.type)())
    except KeyError as error:
        raise MetricFailed("not_installed", str(error.args[0])) from None


def no_script(spec: MetricSpec) -> Script:
    raise MetricFailed("not_installed", "off")


def metric_rewards(
    evidence: RewardEvidence, reward: str | None, **policy: Policy
) -> list[list[float]]:
    return evidence.metric_input(reward, **policy).task_rewards


def samples_of(tasks: Mapping[str, Sequence[EvaluationDraft]]) -> list[Sample]:
    return [
        Sample(task, number, rewards)
        for task, samples in tasks.items()
        for number, rewards in enumerate(samples)
    ]


def declare(tasks: Mapping[str, Sequence[str]]) -> list[DeclaredTask]:
    return [DeclaredTask(name, tuple(rewards)) for name, rewards in tasks.items()]


NAMES = ("physics", "chemistry", "style")
numbers = st.integers(0, 4).map(lambda quarters: quarters / 4)
sample_rewards: st.SearchStrategy[EvaluationDraft] = st.none() | st.dictionaries(
    st.sampled_from(NAMES), st.none() | numbers
)
task_names = st.sampled_from([f"task-{number}" for number in range(6)])
attempts = st.dictionaries(task_names, st.lists(sample_rewards, max_size=4), max_size=6)
declarations = st.dictionaries(task_names, st.lists(st.sampled_from(NAMES), unique=True))
