"""The metrics of the folder: each is one file, and all follow the same rules."""

from __future__ import annotations

import inspect
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.rewards.intervals import bounds_of, pack
from scorers.metrics.registry import SHIPPED, get_metric, shipped
from tests.scorers.shipped_metrics import FOLDER, ROOT


def run_in(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run Python with `folder` before the project on its path."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the folder of metrics, to which files can be added."""
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
    match = re.search(r'```python title="scorers/metrics/(worst_task.py)"\n(.+?)```', readme, re.S)
    assert match
    return match[2]


def test_a_metric_is_one_file(copied: Path) -> None:
    (copied / "scorers/metrics/worst_task.py").write_text(readme_metric())
    (copied / "scorers/metrics/decorated.py").write_text(
        "from scorers.metrics.registry import register_metric\n"
        "@register_metric('tasks')\n"
        "class Tasks:\n    def compute(self, task_rewards): return float(len(task_rewards))\n"
    )
    done = run_in(
        copied,
        "from scorers.metrics.registry import get_metric, shipped\n"
        "print(*(get_metric(n)().compute([[1, 0], [0.2], []]) for n in ('worst_task', 'tasks')))\n"
        "print(*shipped().names())",
    )
    values, ours = done.stdout.splitlines()
    assert values == "0.2 3.0"
    assert ours.split() == shipped().names()


def test_a_broken_file_is_skipped_and_reported(copied: Path) -> None:
    (copied / "scorers/metrics/broken.py").write_text("import nothing_of_this_name\n")
    (copied / "scorers/metrics/a_thief.py").write_text(
        "class Thief:\n    name = 'mean'\n    def compute(self, task_rewards): return 1.0\n"
    )
    done = run_in(
        copied,
        "from scorers.metrics.registry import get_metric\nprint(get_metric('mean').__name__)",
    )
    assert done.stdout == "Mean\n"
    assert "scorers.metrics.broken" in done.stderr
    assert "already registered" in done.stderr


ALL = [name.replace("K", "3") for name in shipped().names()]
rewards = st.integers(-4000, 4000).map(lambda thousandths: thousandths / 1000) | st.sampled_from(
    [0.0, 1.0]
)
any_rewards = st.lists(st.lists(rewards, max_size=6), max_size=12)


def test_all_shipped_files_are_listed() -> None:
    ours = {path.stem for path in FOLDER.glob("*.py") if not path.name.startswith("_")}
    assert ours == {*SHIPPED, "registry"}


def test_it_describes_itself() -> None:
    for name in ALL:
        cls = get_metric(name)
        summary = inspect.cleandoc(cls.__doc__ or "").split("\n\n")[0]
        assert len(summary) > 20, name
        assert "\n" not in summary, name
        assert cls.name == name, name
        assert cls.over in ("all samples, pooled", "tasks", "tasks with at least 3 samples"), name


def test_it_changes_no_input_and_keeps_no_state() -> None:
    for name in ALL:
        kept, given = get_metric(name)(), [[1.0, 0.0, 1.0], [0.5], [], [1.0, 1.0, 1.0, 1.0]]
        first = kept.compute(given)
        kept.compute([[0.25]])
        assert kept.compute(given) == first == get_metric(name)().compute(given), name
        assert given == [[1.0, 0.0, 1.0], [0.5], [], [1.0, 1.0, 1.0, 1.0]], name


@given(any_rewards)
def test_tasks_without_samples_change_nothing(tasks: list[list[float]]) -> None:
    for name in ALL:
        made = get_metric(name)()
        kept = made.compute([task for task in tasks if task])
        assert made.compute([[], *tasks, []]) == kept, name


WITH_ARRAYS = [
    name for name in shipped().names() if hasattr(shipped().get(name.replace("K", "1")), "parts")
]


@given(any_rewards, st.integers(1, 7))
def test_arrays_give_the_same_value_as_lists(tasks: list[list[float]], k: int) -> None:
    packed = pack(tasks)
    if not packed.lengths.size:
        return
    for name in WITH_ARRAYS:
        made = get_metric(name.replace("K", str(k)))()
        above, below = made.parts(*packed)
        expected = made.compute(tasks)
        if below is None:
            assert above.sum() == pytest.approx(expected, abs=1e-12), name
        elif below.sum():
            assert above.sum() / below.sum() == pytest.approx(expected, abs=1e-12), name
        else:
            assert expected is None, name
        low, high = bounds_of(made, packed.values, (-math.inf, math.inf))
        assert expected is None or low <= expected <= high, name
