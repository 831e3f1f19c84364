"""Plugin metrics in the sandbox: their estimates, and the errors of broken ones."""

import math
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.rules.rewards.intervals import DRAWS, SEED, Estimate, estimate
from leaderboard.sandbox import Sandbox, SandboxSettings
from scorers.metrics.mean import Mean
from tests.sandbox.asking import failure
from tests.sandbox.cases import LONG_MS
from tests.sandbox.watching import processes

MODULES = {
    "good": """
class Worst:
    "Lowest of the tasks' means."
    name = "worst"
    over = "tasks"
    direction = "asc"
    unit = "points"
    def compute(self, task_rewards):
        return min((sum(each) / len(each) for each in task_rewards if each), default=None)

class Middle:
    name = "middle"
    bootstrap = True
    def compute(self, task_rewards):
        rewards = sorted(reward for each in task_rewards for reward in each)
        return rewards[len(rewards) // 2]

class Nth:
    name = "nth@K"
    k = 1
    def compute(self, task_rewards):
        return float(self.k)

class Parts:
    name = "parts"
    bounds = "rewards"
    def compute(self, task_rewards):
        raise AssertionError("parts says it all")
    def parts(self, values, lengths):
        import numpy as np
        return np.add.reduceat(values, np.cumsum(lengths) - lengths), lengths.astype(float)

class _Hidden(Worst):
    name = "hidden"

class Base:
    def compute(self, task_rewards):
        return 0.0
""",
    "bad": """
import math, os, sys, time
class Metric:
    name = "metric"
    answer = 1.0
    def compute(self, task_rewards):
        return self.answer
class Nan(Metric):
    name, answer = "nan", math.nan
class Infinite(Metric):
    name, answer = "infinite", math.inf
class Text(Metric):
    name, answer = "text", "1"
class Truth(Metric):
    name, answer = "truth", True
class Lazy(Metric):
    name = "lazy"

    def compute(self, task_rewards):
        import no_such_library


class Raises(Metric):
    name = "raises"
    def compute(self, task_rewards):
        raise ValueError("/secret/path")
class Sleeps(Metric):
    name = "sleeps"
    def compute(self, task_rewards):
        time.sleep(60)
class Leaves(Metric):
    name = "leaves"
    def compute(self, task_rewards):
        sys.exit(0)
class Dies(Metric):
    name = "dies"
    def compute(self, task_rewards):
        os._exit(3)
class Grows(Metric):
    name = "grows"
    def compute(self, task_rewards):
        return len([bytearray(10**9) for _ in range(100)])
class Connects(Metric):
    name = "connects"
    def compute(self, task_rewards):
        import socket
        socket.create_connection(("127.0.0.1", 5432), 1)
class Forges(Metric):
    name = "forges"
    def compute(self, task_rewards):
        os.write(4, b'{"value": NaN}' + bytes([10]))
class Nameless(Metric):
    name = ""
""",
    "needs": "import no_such_library\n",
}
REWARDS = [[1.0, 0.5], [0.25, 0.25], [], [1.0]]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    folder = Path(tempfile.mkdtemp(prefix="podium-metrics-"))
    package = folder / "measures" / "metrics"
    package.mkdir(parents=True)
    (package.parent / "elsewhere.py").write_text("raise AssertionError('no metrics are here')\n")
    for name, text in {**MODULES, "__init__": "", "../__init__": ""}.items():
        (package / f"{name}.py").write_text(text)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    with Sandbox(SandboxSettings(packages=("measures",), path=(str(folder),))) as sandbox:
        yield sandbox
    shutil.rmtree(folder)


def test_a_metric_is_described(sandbox: Sandbox) -> None:
    metrics = {
        metric.entrypoint.removeprefix("measures.metrics."): metric
        for metric in sandbox.discover("metric")
    }
    worst = metrics["good:Worst"]
    assert (worst.name, worst.over, worst.direction, worst.unit) == (
        "worst",
        "tasks",
        "asc",
        "points",
    )
    assert worst.doc.startswith("Lowest")
    assert metrics["good:Middle"].direction == "desc"
    good = [
        name for name, metric in metrics.items() if metric.error is None and name.startswith("good")
    ]
    assert good == ["good:Middle", "good:Nth", "good:Parts", "good:Worst"]


def test_a_broken_metric_is_one_error_message(sandbox: Sandbox) -> None:
    errors = {
        metric.entrypoint: metric.error for metric in sandbox.discover("metric") if metric.error
    }
    assert {name: error.code for name, error in errors.items()} == {
        "measures.metrics.bad:Nameless": "load_error",
        "measures.metrics.needs": "not_installed",
    }
    assert "no_such_library" in errors["measures.metrics.needs"].message
    assert "has no attribute `name`" in errors["measures.metrics.bad:Nameless"].message


def test_modules_may_be_excluded(sandbox: Sandbox) -> None:
    without = {"measures.metrics.bad", "measures.metrics.needs"}
    metrics = sandbox.discover("metric", without=without)
    assert {metric.entrypoint.split(":")[0] for metric in metrics} == {"measures.metrics.good"}


def test_the_sandbox_returns_an_estimate(sandbox: Sandbox) -> None:
    for name, k, value in (("Worst", None, 0.25), ("Nth", 3, 3.0), ("Nth", None, 1.0)):
        entrypoint = f"measures.metrics.good:{name}"
        answer = sandbox.estimate(entrypoint, REWARDS, timeout_ms=LONG_MS, k=k)
        assert answer == Estimate(value, 3, interval_reason="not_estimated")


def test_a_metric_with_parts_has_the_same_interval_as_in_process(sandbox: Sandbox) -> None:
    rewards = [*REWARDS, [0.0, 0.5], [1.0]]
    answer = sandbox.estimate("measures.metrics.good:Parts", rewards, timeout_ms=LONG_MS)
    assert answer == estimate(Mean(), rewards)
    assert isinstance(answer, Estimate)
    assert answer.method == "bootstrap", "Student's would leave the rewards that were seen"


def test_an_interval_stays_within_the_bounds_of_the_reward(sandbox: Sandbox) -> None:
    rewards, bounds = [[0.0], [9.0], [9.0], [9.0], [9.0]], (-math.inf, 9.0)
    name = "measures.metrics.good:Parts"
    answer = sandbox.estimate(name, rewards, timeout_ms=LONG_MS, bounds=bounds)
    assert answer == estimate(Mean(), rewards, rewards=bounds)
    assert isinstance(answer, Estimate)
    assert (answer.interval or ())[1:] == (9.0,)


def test_a_bootstrap_is_drawn_in_the_sandbox(sandbox: Sandbox) -> None:
    rewards = [[float(number)] for number in range(50)]
    answer = sandbox.estimate("measures.metrics.good:Middle", rewards, timeout_ms=LONG_MS)
    assert isinstance(answer, Estimate)
    assert (answer.value, answer.method, answer.seed, DRAWS) == (25.0, "bootstrap", SEED, 1000)
    assert answer.interval is not None
    assert answer.interval[0] < 25.0 < answer.interval[1]
    assert answer == sandbox.estimate("measures.metrics.good:Middle", rewards, timeout_ms=LONG_MS)


ERRORS = (
    ("bad:Nan", "invalid_result", "not a finite number"),
    ("bad:Infinite", "invalid_result", "not a finite number"),
    ("bad:Text", "invalid_result", "type str"),
    ("bad:Truth", "invalid_result", "type bool"),
    ("bad:Raises", "exception", "ValueError"),
    ("bad:Lazy", "not_installed", "no_such_library"),
    ("bad:Leaves", "crashed", "its own process"),
    ("bad:Dies", "crashed", "exit code 3"),
    ("bad:Grows", "out_of_memory", "more memory"),
    ("bad:Connects", "exception", ""),
    ("bad:Forges", "crashed", "the channel"),
    ("bad:Nameless", "load_error", "no attribute `name`"),
    ("bad:Missing", "load_error", "method `compute`"),
    ("good:Sound", "load_error", "no class Sound"),
    ("needs:Any", "not_installed", "no_such_library"),
    ("nowhere:Any", "load_error", "no such module"),
)


def test_an_error_of_a_metric_is_its_failure(sandbox: Sandbox) -> None:
    for name, code, reason in ERRORS:
        entrypoint = f"measures.metrics.{name}"
        error = failure(sandbox.estimate(entrypoint, REWARDS, timeout_ms=LONG_MS))
        assert error.code == code, name
        assert reason in error.message
        assert "/secret" not in error.message
        worst = sandbox.estimate("measures.metrics.good:Worst", REWARDS, timeout_ms=LONG_MS)
        assert worst == Estimate(0.25, 3, interval_reason="not_estimated"), name
        assert len(processes(sandbox)) <= 1, name


def test_a_metric_has_a_timeout(sandbox: Sandbox) -> None:
    error = failure(sandbox.estimate("measures.metrics.bad:Sleeps", REWARDS, timeout_ms=300))
    assert (error.code, "0.3 s" in error.message) == ("timeout", True)


def test_a_metric_of_another_package_is_refused(sandbox: Sandbox) -> None:
    error = failure(sandbox.estimate("os.metrics:Any", REWARDS, timeout_ms=300))
    assert (error.code, "must be a plugin of" in error.message) == ("load_error", True)


def test_a_metric_may_get_many_rewards(sandbox: Sandbox) -> None:
    rewards = [[0.1] * 10] * 10_000
    answer = sandbox.estimate("measures.metrics.good:Worst", rewards, timeout_ms=LONG_MS)
    assert isinstance(answer, Estimate)
    assert answer.value is not None
    assert math.isclose(answer.value, 0.1)
    assert answer.n == 10_000
