"""A short notation of evidence, and a strategy of any evidence for property tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from leaderboard.rules.rewards.evidence import DeclaredTask, Policy, RewardEvidence, Sample

EvaluationDraft = Mapping[str, float | None] | None


def attempt(
    tasks: Mapping[str, Sequence[EvaluationDraft]],
    declared: Mapping[str, Sequence[str]] | None = None,
) -> RewardEvidence:
    """Return evidence with the rewards of each sample by task; None is a failed sample."""
    return RewardEvidence(samples_of(tasks), declare(declared or {}), tasks=tasks)


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
brought: st.SearchStrategy[EvaluationDraft] = st.none() | st.dictionaries(
    st.sampled_from(NAMES), st.none() | numbers
)
task_names = st.sampled_from([f"task-{number}" for number in range(6)])
attempts = st.dictionaries(task_names, st.lists(brought, max_size=4), max_size=6)
declarations = st.dictionaries(task_names, st.lists(st.sampled_from(NAMES), unique=True))
