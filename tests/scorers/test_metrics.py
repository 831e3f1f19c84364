"""The metrics of the folder: against the source systems, against their own arrays, by name."""

from __future__ import annotations

import inspect
import json
import math
import re
import subprocess
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.intervals import bounds_of, pack
from leaderboard.rules.metric_specs import MetricSpec, parse_harbor_metrics
from leaderboard.rules.reductions import in_process, metric_values
from leaderboard.rules.rewards import RewardEvidence, Sample
from scorers.metrics.registry import (
    SHIPPED,
    Registry,
    get_metric,
    list_metrics,
    register_metric,
    shipped,
)
from scorers.protocol import Metric, TaskRewards

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "scorers" / "metrics"
SEEDS = Path(__file__).parents[1] / "seeds"


def vectors(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((SEEDS / f"{name}.json").read_text())["vectors"]
    return found


def each(found: Sequence[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", found, ids=lambda vector: vector["name"])


def metric(name: str) -> Metric:
    made: Metric = shipped().get(name)()
    return made


# EvSys


@each(vectors("evsys_metrics"))
def test_evsys_computes_alike(vector: dict[str, Any]) -> None:
    given, expected = vector["input"], vector["expected"]["value"]
    value = metric(given["metric"]).compute(given["task_rewards"])
    assert value == pytest.approx(expected, abs=vector["tolerance"])


class WorstTask:
    """Lowest mean reward of a task."""

    name: ClassVar[str] = "worst_task"

    def compute(self, task_rewards: TaskRewards) -> float:
        return min((sum(rewards) / len(rewards) for rewards in task_rewards if rewards), default=0)


def evsys_names() -> set[str]:
    return {vector["input"]["metric"] for vector in vectors("evsys_metrics")}


@each(vectors("evsys_registry"))
def test_evsys_registers_alike(vector: dict[str, Any]) -> None:
    registry = Registry()
    for name in evsys_names():
        registry.register(shipped().get(name), name)
    registry.register(WorstTask)
    if "task_rewards" in vector["input"]:
        made = registry.get("worst_task")()
        value = made.compute(vector["input"]["task_rewards"])
        assert value == pytest.approx(vector["expected"]["value"], abs=vector["tolerance"])
    else:
        assert registry.names() == vector["expected"]["value"]


@pytest.mark.parametrize("name", sorted(evsys_names()))
@pytest.mark.parametrize("nothing", [[], [[]], [[], []]])
def test_evsys_metrics_are_zero_where_there_is_nothing(
    name: str, nothing: list[list[float]]
) -> None:
    assert metric(name).compute(nothing) == 0.0


@pytest.mark.parametrize(
    ("reward", "passes"),
    [(1.0, True), (1, True), (2.5, True), (0.9999999999999999, False), (math.inf, True)],
)
def test_one_passes_and_less_does_not(reward: float, passes: bool) -> None:
    assert metric("pass@1").compute([[reward]]) == metric("pass_rate").compute([[reward]]) == passes


def test_what_is_no_number_is_an_error_of_the_metric() -> None:
    wrong: Any = [[1.0, None]]
    with pytest.raises(TypeError):
        metric("pass_rate").compute(wrong)
    assert metric("pass@1").compute(wrong) == 1.0


# Harbor


def harbor_values(spec: MetricSpec, rewards: Sequence[dict[str, float] | None]) -> dict[str, Any]:
    """One trial each of as many tasks, under Harbor's keys: of several rewards their names."""
    evidence = RewardEvidence([Sample(str(n), 0, brought) for n, brought in enumerate(rewards)])
    values = metric_values(evidence, [spec], lambda spec: in_process(metric(spec.type)), no_script)
    return {key.partition(":")[2] or key: value["value"] for key, value in values.items()}


def no_script(spec: MetricSpec) -> Any:
    raise AssertionError("no script here")


@each(vectors("harbor_metrics"))
def test_harbor_computes_alike(vector: dict[str, Any]) -> None:
    given = vector["input"]
    entry = {"type": given["metric"]} if given["metric"] else {}
    (spec,) = parse_harbor_metrics([entry])
    assert harbor_values(spec, given["rewards"]) == pytest.approx(
        vector["expected"]["value"], abs=vector["tolerance"]
    )


@each(vectors("harbor_pass_at_k"))
def test_harbor_estimates_pass_at_k_alike(vector: dict[str, Any]) -> None:
    evidence = RewardEvidence(
        Sample(trial["task"], number, trial.get("rewards"))
        for number, trial in enumerate(vector["input"]["trials"])
    )
    expected = vector["expected"]["value"].get("a1__ds", {})
    seen = evidence.seen("reward").task_rewards
    for k, value in expected.items():
        found = metric(f"pass@{k}:unbiased").compute(seen)
        assert found == pytest.approx(value, abs=vector["tolerance"])
    beyond = max(map(len, seen)) + 1
    assert str(beyond) not in expected
    assert metric(f"pass@{beyond}:unbiased").compute(seen) is None


# verifiers


@each(vectors("verifiers_pass_at_k"))
def test_verifiers_estimates_alike(vector: dict[str, Any]) -> None:
    # Its threshold is 0.5; the rewards are 0 and 1, so that it is the same as ours of 1.0.
    tasks: dict[int, list[float]] = {}
    for row in vector["input"]["rows"]:
        tasks.setdefault(row["example_id"], []).append(row["reward"])
    seen = list(tasks.values())
    for field, name in (("pass_at_k", "pass@{}:unbiased"), ("pass_all_k", "pass^{}:unbiased")):
        for k, value in vector["expected"]["value"][field].items():
            found = metric(name.format(k)).compute(seen)
            assert found == pytest.approx(value, abs=vector["tolerance"])
    enough = vector["input"]["rollouts_per_example"]
    assert metric(f"pass@{enough + 1}:unbiased").compute(seen) is None


# The numbered ones


@pytest.mark.parametrize(
    ("name", "rewards", "expected"),
    [
        ("pass@3:unbiased", [1, 1, 0, 0, 0], 0.9),
        ("pass^3:unbiased", [1, 1, 1, 1, 0], 0.4),
        ("pass@2:unbiased", [0, 0], 0.0),
        ("pass@1:unbiased", [1, 0, 0, 0], 0.25),
        ("pass^2:unbiased", [1, 0, 0], 0.0),
        ("pass@2", [0, 0, 1], 0.0),
        ("pass^2", [1, 1, 0], 1.0),
        ("pass@999999", [0, 0, 1], 1.0),
        ("pass^999999", [1, 1], 1.0),
    ],
)
def test_worked_examples(name: str, rewards: list[float], expected: float) -> None:
    assert metric(name).compute([rewards]) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_the_estimators_are_means_over_all_ways_to_draw(passed: list[bool], k: int) -> None:
    draws = list(combinations(passed, k))
    rewards = [[float(one) for one in passed]]
    for name, solved in ((f"pass@{k}:unbiased", any), (f"pass^{k}:unbiased", all)):
        expected = sum(map(solved, draws)) / len(draws) if draws else None
        assert metric(name).compute(rewards) == pytest.approx(expected, abs=1e-12)


def test_a_number_makes_a_metric_of_its_own() -> None:
    three = shipped().get("pass@3")
    assert (three.name, three.k) == ("pass@3", 3)
    assert "first 3 samples" in (three.__doc__ or "")
    assert shipped().get("pass^12:unbiased").over == "tasks with at least 12 samples"
    assert shipped().get("pass@K".replace("K", "4")).k == 4


@pytest.mark.parametrize(
    "name", ["pass@0", "pass@-1", "pass@03", "pass@", "pass@K", "pass@1.5", "pass^3:biased", "Mean"]
)
def test_what_is_no_metric_is_told_with_what_is(name: str) -> None:
    with pytest.raises(KeyError, match=re.escape("Available: avg, losses, max, mean")) as caught:
        shipped().get(name)
    assert f"No metric registered under {name!r}" in str(caught.value)


# Names


def test_the_name_is_the_decorators_or_the_attribute() -> None:
    registry = Registry()

    class Named:
        name = "its own"

    class Nameless:
        pass

    assert registry.register(Named) is Named
    registry.register(Nameless, "given")
    assert registry.get("given") is Nameless
    assert registry.names() == ["given", "its own"]
    with pytest.raises(ValueError, match="has no name"):
        registry.register(type("Other", (), {}))


def test_a_name_belongs_to_one_class() -> None:
    registry = Registry()
    registry.register(WorstTask)
    registry.register(WorstTask)
    other = type("OtherTask", (), {"name": "worst_task"})
    with pytest.raises(ValueError, match="already registered") as caught:
        registry.register(other)
    assert "WorstTask" in str(caught.value)
    assert "OtherTask" in str(caught.value)
    assert registry.get("worst_task") is WorstTask


@pytest.mark.parametrize("name", ["mean", "pass@3", "pass@K", "pass^7:unbiased"])
def test_nobody_takes_a_name_of_ours(name: str) -> None:
    with pytest.raises(ValueError, match="already registered"):
        register_metric(name)(type("Mine", (), {}))


def run_in(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Python with `folder` before the project on its path."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A folder of metrics of our own, to add files to."""
    for path in ("scorers/__init__.py", "scorers/protocol.py", "scorers/metrics"):
        source, target = ROOT / path, tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            target.mkdir()
            for file in source.glob("*.py"):
                (target / file.name).write_text(file.read_text())
        else:
            target.write_text(source.read_text())
    return tmp_path


def readme_metric() -> str:
    readme = (ROOT / "scorers" / "README.md").read_text()
    found = re.search(r'```python title="scorers/metrics/(worst_task.py)"\n(.+?)```', readme, re.S)
    assert found
    return found[2]


def test_a_metric_is_one_file(copied: Path) -> None:
    (copied / "scorers/metrics/worst_task.py").write_text(readme_metric())
    (copied / "scorers/metrics/decorated.py").write_text(
        "from scorers.metrics.registry import register_metric\n"
        "@register_metric('tasks')\n"
        "class Tasks:\n    def compute(self, task_rewards): return float(len(task_rewards))\n"
    )
    done = run_in(
        copied,
        "from scorers.metrics.registry import get_metric, list_metrics, shipped\n"
        "print(*list_metrics())\n"
        "print(*(get_metric(n)().compute([[1, 0], [0.2], []]) for n in ('worst_task', 'tasks')))\n"
        "print(*shipped().names())",
    )
    names, values, ours = done.stdout.splitlines()
    assert names.split() == sorted([*shipped().names(), "tasks", "worst_task"]), done.stderr
    assert values == "0.2 3.0"
    assert ours.split() == shipped().names()


def test_a_broken_file_is_left_out_and_told(copied: Path) -> None:
    (copied / "scorers/metrics/broken.py").write_text("import nothing_of_this_name\n")
    (copied / "scorers/metrics/a_thief.py").write_text(
        "class Thief:\n    name = 'mean'\n    def compute(self, task_rewards): return 1.0\n"
    )
    done = run_in(
        copied,
        "from scorers.metrics.registry import get_metric, list_metrics\n"
        "print(*list_metrics()); print(get_metric('mean').__name__)",
    )
    assert done.stdout.splitlines() == [" ".join(shipped().names()), "Mean"]
    assert "scorers.metrics.broken are left out" in done.stderr
    assert "already registered" in done.stderr


# Every metric of the folder

ALL = [name.replace("K", "3") for name in list_metrics()]
every_metric = pytest.mark.parametrize("name", ALL)
rewards = st.integers(-4000, 4000).map(lambda thousandths: thousandths / 1000) | st.sampled_from(
    [0.0, 1.0]
)
any_rewards = st.lists(st.lists(rewards, max_size=6), max_size=12)


def test_the_files_that_come_with_podium_are_said() -> None:
    ours = {path.stem for path in FOLDER.glob("*.py") if not path.name.startswith("_")}
    assert ours == {*SHIPPED, "registry"}


@every_metric
def test_it_describes_itself(name: str) -> None:
    cls = get_metric(name)
    summary = inspect.cleandoc(cls.__doc__ or "").split("\n\n")[0]
    assert len(summary) > 20
    assert "\n" not in summary
    assert cls.name == name
    assert cls.over in ("all samples, pooled", "tasks", "tasks with at least 3 samples")


@every_metric
def test_it_changes_nothing_and_remembers_nothing(name: str) -> None:
    kept, given = get_metric(name)(), [[1.0, 0.0, 1.0], [0.5], [], [1.0, 1.0, 1.0, 1.0]]
    first = kept.compute(given)
    kept.compute([[0.25]])
    assert kept.compute(given) == first == get_metric(name)().compute(given)
    assert given == [[1.0, 0.0, 1.0], [0.5], [], [1.0, 1.0, 1.0, 1.0]]


@every_metric
@given(any_rewards)
def test_tasks_without_samples_change_nothing(name: str, tasks: list[list[float]]) -> None:
    made = get_metric(name)()
    assert made.compute([[], *tasks, []]) == made.compute([task for task in tasks if task])


WITH_ARRAYS = [
    name for name in list_metrics() if hasattr(shipped().get(name.replace("K", "1")), "parts")
]


@pytest.mark.parametrize("name", WITH_ARRAYS)
@given(any_rewards, st.integers(1, 7))
def test_the_arrays_say_what_the_lists_say(name: str, tasks: list[list[float]], k: int) -> None:
    made, packed = get_metric(name.replace("K", str(k)))(), pack(tasks)
    if not packed.lengths.size:
        return
    above, below = made.parts(*packed)
    expected = made.compute(tasks)
    if below is None:
        assert above.sum() == pytest.approx(expected, abs=1e-12)
    elif below.sum():
        assert above.sum() / below.sum() == pytest.approx(expected, abs=1e-12)
    else:
        assert expected is None
    low, high = bounds_of(made, packed.values, (-math.inf, math.inf))
    assert expected is None or low <= expected <= high
