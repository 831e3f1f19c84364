"""Three states that are not numbers, and what a metric sees of them."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.rewards import ONLY_REWARD, Cell, Policy, RewardEvidence, Sample, State
from scorers.metrics.mean import Mean
from scorers.metrics.mean_reward import MeanReward
from scorers.metrics.registry import shipped
from tests.rules.rewards_of import (
    NAMES,
    EvaluationDraft,
    attempt,
    attempts,
    declarations,
    declare,
    samples_of,
)

SEEDS = Path(__file__).parents[1] / "seeds"
POLICIES: tuple[Policy, ...] = get_args(Policy)
policies = st.sampled_from(POLICIES)


def vectors(name: str) -> pytest.MarkDecorator:
    found = json.loads((SEEDS / f"{name}.json").read_text())["vectors"]
    return pytest.mark.parametrize("vector", found, ids=lambda vector: vector["name"])


def seen(evidence: RewardEvidence, reward: str | None, **policy: Policy) -> list[list[float]]:
    return evidence.seen(reward, **policy).task_rewards


# The rewards of the source: ten tasks of physics, two of chemistry

PHYSICS = [65, 72, 58, 81, 45, 67, 73, 59, 68, 74]
CHEMISTRY = [88, 76]
TWO_DOMAINS = attempt(
    {f"p{number}": [{"physics_reward": value}] for number, value in enumerate(PHYSICS)}
    | {f"c{number}": [{"chemistry_reward": value}] for number, value in enumerate(CHEMISTRY)}
)


@pytest.mark.parametrize(
    ("reward", "mean", "defined", "nothing"),
    [
        ("physics_reward", 66.2, 10, None),
        ("chemistry_reward", 82.0, 2, None),
        ("biology_reward", None, 0, "undefined"),
    ],
)
def test_each_domain_is_averaged_over_its_own_tasks(
    reward: str, mean: float | None, defined: int, nothing: State | None
) -> None:
    found = TWO_DOMAINS.seen(reward)
    assert Mean().compute(found.task_rewards) == (mean and pytest.approx(mean, abs=1e-12))
    assert (sum(map(bool, found.task_rewards)), found.total) == (defined, 12)
    assert (found.failed, found.nothing) == (0, nothing)


@vectors("sparse_metrics_pr")
def test_what_is_not_defined_is_left_out_and_drawn_as_a_dash(vector: dict[str, Any]) -> None:
    given, expected = vector["input"], vector["expected"]["value"]
    rows = zip(given["values"], given["not_defined"], strict=True)
    tasks: dict[str, list[EvaluationDraft]] = {
        f"task-{number}": [{} if absent else {"reward": value}]
        for number, (value, absent) in enumerate(rows)
    }
    found = attempt(tasks).seen("reward")
    mean = Mean().compute(found.task_rewards)
    defined = sum(map(bool, found.task_rewards))
    assert mean == pytest.approx(expected["avg"], abs=vector["tolerance"])
    assert (defined, found.total) == (expected["relevant"], expected["total"])
    assert f"avg - {mean:.3f} (relevant: {defined}/{found.total})" == expected["text"]
    cells = [cell for (cell,) in attempt(tasks).cells("reward")]
    assert ["-" if cell == "undefined" else cell for cell in cells] == expected["cells"]


@vectors("verifiers_averages")
def test_verifiers_averages_alike(vector: dict[str, Any]) -> None:
    outputs, expected = vector["input"]["outputs"], vector["expected"]["value"]
    near = {"abs": vector["tolerance"]}
    evidence = attempt({f"example-{n}": [row["metrics"]] for n, row in enumerate(outputs)})
    # There a null is as good as absent; here it was not scored, which counts 0 unless excluded.
    means = {
        name: Mean().compute(seen(evidence, name, failed="exclude")) for name in evidence.rewards
    }
    assert means == pytest.approx(expected["avg_metrics"], **near)

    rewards = attempt({f"example-{n}": [{"r": row["reward"]}] for n, row in enumerate(outputs)})
    assert Mean().compute(seen(rewards, "r")) == pytest.approx(expected["avg_reward"], **near)

    failing = attempt({"all": [None if row.get("error") else {"r": 1.0} for row in outputs]})
    share = failing.seen("r").failed / len(outputs)
    assert share == pytest.approx(expected["avg_error"], **near)


@vectors("verifiers_v1")
def test_verifiers_one_shows_these_means(vector: dict[str, Any]) -> None:
    traces, expected = vector["input"]["traces"], vector["expected"]["value"]
    totals = [
        sum(reward["score"] * reward["weight"] for reward in trace["rewards"].values())
        for trace in traces
    ]
    assert totals == pytest.approx(expected["trace_rewards"], abs=vector["tolerance"])
    evidence = attempt(
        {
            f"trace-{number}": [
                {"total": total}
                | {name: reward["score"] for name, reward in trace["rewards"].items()}
                | trace.get("metrics", {})
                if trace.get("ok", True)
                else None
            ]
            for number, (trace, total) in enumerate(zip(traces, totals, strict=True))
        },
        # A trace that failed is of the same task, so it owes the same rewards.
        {f"trace-{n}": ["total", "exact"] for n, trace in enumerate(traces) if "ok" in trace},
    )

    def text(reward: str) -> str:
        """Without the errors and, if that is different, (with them as zeros)."""
        without = Mean().compute(seen(evidence, reward, failed="exclude", undefined="zero"))
        with_zeros = Mean().compute(seen(evidence, reward, undefined="zero"))
        return f"{without:.2f}" + ("" if without == with_zeros else f" ({with_zeros:.2f})")

    rewards = dict.fromkeys(name for trace in traces for name in trace["rewards"])
    metrics = dict.fromkeys(name for trace in traces for name in trace.get("metrics", ()))
    assert text("total") == expected["headline"]
    assert "  ·  ".join(f"{name} {text(name)}" for name in rewards) == expected["rewards_text"]
    shown = "  ·  ".join(f"{name} {text(name)}" for name in metrics) or None
    assert shown == expected["metrics_text"]
    # Its dashboard reads an absent metric as 0; unless that is asked for, it is left out here.
    defined = {name: seen(evidence, name) for name in metrics}
    assert all(sum(map(len, tasks)) == 1 for tasks in defined.values())


# What a cell is


@pytest.mark.parametrize(
    ("tasks", "declared", "expected"),
    [
        pytest.param(
            {"a": [{"x": 0}], "b": [{"y": 1}]}, {}, [[0.0], ["undefined"]], id="zero-is-a-number"
        ),
        pytest.param({"a": [{"x": 1}, {"x": None}]}, {}, [[1.0, "failed"]], id="null-is-unscored"),
        pytest.param({"a": [{"x": 1}, {}]}, {}, [[1.0, "undefined"]], id="absent-is-undefined"),
        pytest.param(
            {"a": [{"x": 1}, {}]}, {"a": ["x"]}, [[1.0, "failed"]], id="absent-but-declared"
        ),
        pytest.param(
            {"a": [None], "b": [{"x": 1, "y": 1}]},
            {"a": ["x"]},
            [["failed"], [1.0]],
            id="owes-what-is-declared",
        ),
        pytest.param(
            {"a": [None, {"y": 1}], "b": [{"x": 1}]},
            {"a": ["y"]},
            [["undefined", "undefined"], [1.0]],
            id="owes-nothing-else",
        ),
        pytest.param(
            {"a": [None, {"x": 1}, {"y": 1}]},
            {},
            [["failed", 1.0, "undefined"]],
            id="owes-what-the-others-have",
        ),
        pytest.param({"a": [None], "b": [{"x": 1}]}, {}, [["failed"], [1.0]], id="owes-the-only"),
        pytest.param(
            {"a": [None], "b": [{"x": 1, "y": 1}]},
            {},
            [["undefined"], [1.0]],
            id="owes-none-of-several",
        ),
        pytest.param({"a": [None], "b": [None]}, {}, [["undefined"]] * 2, id="nobody-knows"),
        pytest.param({"a": [], "b": [{"x": 1}]}, {}, [[], [1.0]], id="not-run"),
        pytest.param(
            {"a": [None, {"seeded": None}], "b": [{"x": 1}]},
            {},
            [["failed", "undefined"], [1.0]],
            id="a-placeholder-owes-nothing",
        ),
    ],
)
def test_a_cell_is_a_number_or_says_why_not(
    tasks: dict[str, list[EvaluationDraft]],
    declared: dict[str, list[str]],
    expected: list[list[Cell]],
) -> None:
    assert attempt(tasks, declared).cells("x") == expected


def test_a_name_that_is_null_everywhere_is_dropped_unless_declared() -> None:
    tasks: dict[str, list[EvaluationDraft]] = {
        "a": [{"seeded": None, "x": 1}],
        "b": [{"seeded": None}],
    }
    assert attempt(tasks).rewards == ("x",)
    assert attempt(tasks, {"a": ["seeded"]}).rewards == ("seeded", "x")


def test_tasks_are_in_order_and_their_samples_too() -> None:
    samples = [Sample("late", 2, {"x": 2}), Sample("late", 0, {"x": 0}), Sample("first", 1, None)]
    evidence = RewardEvidence(samples, declare({"first": [], "unseen": []}), tasks=["also"])
    assert evidence.tasks == ["first", "unseen", "also", "late"]
    assert evidence.cells("x") == [["failed"], [], [], [0.0, 2.0]]
    assert evidence.sample_numbers == [0, 1, 2]


def test_a_sample_that_comes_twice_is_refused_by_name() -> None:
    samples = [Sample("one", 3, None), Sample("two", 3, None), Sample("one", 3, {"x": 1})]
    with pytest.raises(ValueError, match="task 'one' has sample 3 twice"):
        RewardEvidence(samples)


def test_the_short_form_has_one_reward_even_where_all_failed() -> None:
    evidence = RewardEvidence.of_task_rewards({"a": [1, 0.5, None], "b": [], "c": [None]})
    assert evidence.rewards == (ONLY_REWARD,)
    assert seen(evidence, ONLY_REWARD) == [[1.0, 0.5, 0.0], [], [0.0]]
    assert seen(evidence, ONLY_REWARD, failed="exclude") == [[1.0, 0.5], [], []]
    assert evidence.seen(ONLY_REWARD).failed == 2
    lost = RewardEvidence.of_task_rewards({"a": [None]})
    assert seen(lost, ONLY_REWARD) == [[0.0]]
    assert lost.seen(ONLY_REWARD, failed="exclude").nothing == "failed"
    assert RewardEvidence.of_task_rewards({"a": []}).seen(ONLY_REWARD).nothing == "not_run"


def test_a_table_has_a_cell_for_every_sample_number() -> None:
    evidence = attempt({"a": [{"x": 1}, None], "b": [{"y": 0.5}], "c": []}, {"c": ["x"], "d": []})
    rows = {row.task: row.cells for row in evidence.rows()}
    assert rows == {
        "c": {"x": ["not_run"] * 2, "y": ["undefined"] * 2},
        "d": {"x": ["not_run"] * 2, "y": ["not_run"] * 2},
        "a": {"x": [1.0, "failed"], "y": ["undefined"] * 2},
        "b": {"x": ["undefined"] * 2, "y": [0.5, "not_run"]},
    }
    assert [row.task for row in evidence.rows(1, 3)] == ["d", "a"]


# What a metric sees


@pytest.mark.parametrize(
    ("failed", "undefined", "expected"),
    [
        ("zero", "exclude", [[1.0, 0.0], [], [], [0.0]]),
        ("exclude", "exclude", [[1.0], [], [], []]),
        ("zero", "zero", [[1.0, 0.0], [0.0, 0.0], [], [0.0]]),
        ("exclude", "zero", [[1.0], [0.0], [], []]),
    ],
)
def test_a_metric_may_say_what_a_missing_number_counts(
    failed: Policy, undefined: Policy, expected: list[list[float]]
) -> None:
    evidence = attempt({"a": [{"x": 1}, None], "b": [{"y": 1}, None], "c": [], "d": [{"x": None}]})
    found = evidence.seen("x", failed=failed, undefined=undefined)
    assert found.task_rewards == expected
    assert (found.failed, found.total) == (2, 4)


def test_a_reward_that_nobody_has_is_undefined_whatever_counts() -> None:
    evidence = attempt({"a": [{"x": 1}], "b": [None]})
    assert evidence.seen("z", undefined="zero").nothing == "undefined"
    assert seen(evidence, "z", undefined="zero") == [[], []]


def test_without_any_name_only_the_samples_count() -> None:
    evidence = attempt({"a": [None, None], "b": [None]})
    assert evidence.rewards == ()
    assert seen(evidence, None, undefined="zero") == [[0.0, 0.0], [0.0]]
    assert (evidence.seen(None).failed, evidence.seen(None).nothing) == (3, "failed")
    assert attempt({"a": [{}]}).seen(None).nothing == "undefined"
    assert attempt({"a": []}).seen(None).nothing == "not_run"


def test_a_reward_that_is_owed_by_tasks_not_run_was_not_run() -> None:
    assert attempt({"a": [{"y": 1}]}, {"b": ["x"]}).seen("x").nothing == "not_run"


def counted(
    tasks: dict[str, list[EvaluationDraft]],
    declared: dict[str, list[str]],
    reward: str | None,
    undefined: Policy,
    known: Collection[str],
) -> int:
    """Tasks that may have a reward: those that do not say otherwise, or bring it all the same."""
    everything = {*tasks, *declared}
    if reward is None or undefined == "zero":
        return len(everything)
    bring = {name for name, each in tasks.items() if any(reward in (one or ()) for one in each)}
    silent = {task for task in everything if not declared.get(task)}
    owing = {task for task in declared if reward in declared[task]}
    return len(silent | owing | (bring if reward in known else set()))


@given(attempts, declarations, policies, policies)
def test_no_metric_meets_anything_but_numbers(
    tasks: dict[str, list[EvaluationDraft]],
    declared: dict[str, list[str]],
    failed: Policy,
    undefined: Policy,
) -> None:
    evidence = attempt(tasks, declared)
    for reward in (*evidence.rewards, "nobody has it", None):
        found = evidence.seen(reward, failed=failed, undefined=undefined)
        assert (
            found.total
            == len(found.weights)
            == counted(tasks, declared, reward, undefined, evidence.rewards)
        )
        assert all(type(value) is float for task in found.task_rewards for value in task)
        assert (found.nothing is None) == any(found.task_rewards)
        assert found.packed.values.tolist() == [v for task in found.task_rewards for v in task]
        for name in shipped().names():
            shipped().get(name.replace("K", "2"))().compute(found.task_rewards)
    for row in evidence.lines(None, failed=failed, undefined=undefined).rows:
        assert all(type(value) is float for value in (row or {}).values())


@given(attempts, declarations, st.sampled_from(NAMES), st.sampled_from([Mean, MeanReward]))
def test_dropping_an_undefined_reward_never_changes_a_mean(
    tasks: dict[str, list[EvaluationDraft]],
    declared: dict[str, list[str]],
    reward: str,
    mean: type[Mean] | type[MeanReward],
) -> None:
    evidence = attempt(tasks, declared)
    states = zip(evidence.samples, evidence.cells(reward), strict=True)
    kept = [
        sample
        for ordered, cells in states
        for sample, cell in zip(ordered, cells, strict=True)
        if cell != "undefined"
    ]
    # What is owed is said, so that it does not hang on the samples that are dropped.
    owed = {sample.task: [reward] for sample in kept}
    dropped = RewardEvidence(kept, declare(owed))
    assert mean().compute(seen(dropped, reward)) == mean().compute(seen(evidence, reward))


@given(
    st.dictionaries(
        st.sampled_from("abcd"),
        st.lists(st.dictionaries(st.sampled_from(NAMES), st.integers(0, 8)), max_size=4),
        min_size=1,
    ),
    st.sampled_from(NAMES),
    st.sampled_from([Mean, MeanReward]),
    st.integers(0, 15),
    policies,
)
def test_a_failed_sample_never_raises_a_mean(
    tasks: dict[str, list[EvaluationDraft]],
    reward: str,
    mean: type[Mean] | type[MeanReward],
    where: int,
    undefined: Policy,
) -> None:
    samples = samples_of(tasks)
    task = sorted(tasks)[where % len(tasks)]
    before = mean().compute(seen(RewardEvidence(samples), reward, undefined=undefined))
    after = mean().compute(
        seen(RewardEvidence([*samples, Sample(task, 9, None)]), reward, undefined=undefined)
    )
    # Where nothing was known before, a failed sample can at most make it 0.
    assert (after or 0.0) <= (before or 0.0) + 1e-12


# What a script sees


def test_a_script_has_a_line_for_each_sample() -> None:
    evidence = attempt(
        {"a": [{"x": 1, "y": 0.5}, None], "b": [{"x": None, "y": 2}], "c": [{}], "d": []}
    )
    found = evidence.lines(None)
    assert found.rows == [{"x": 1.0, "y": 0.5}, None, {"x": 0.0, "y": 2.0}, {}]
    assert (found.defined, found.total, found.failed) == (3, 4, 1)
    assert evidence.lines(None, failed="exclude").rows == [{"x": 1.0, "y": 0.5}, {"y": 2.0}, {}]
    assert evidence.lines("x", undefined="zero").rows == [{"x": 1.0}, None, {"x": 0.0}, {"x": 0.0}]
