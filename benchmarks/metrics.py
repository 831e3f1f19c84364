"""Metrics of a large attempt: NumPy code against straightforward Python on the same evidence.

`python -m benchmarks metrics[=N]`, where N is the number of tasks.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable, Sequence

from benchmarks.parts.report import Line, Table
from leaderboard.rules.rewards.evidence import RewardEvidence, Sample
from leaderboard.rules.rewards.intervals import DRAWS, Floats, bootstrap_sums
from leaderboard.rules.rewards.metric_inputs import MetricInput
from leaderboard.rules.rewards.reductions import Reduce, in_process, metric_values
from leaderboard.schemas.metrics import MetricSpec, parse_metrics
from scorers.metrics._packed import task_sums
from scorers.metrics.registry import shipped

SAMPLES = 8
MISSING = 0.05
ROUNDS = 7
FOUR = ("mean_reward", "pass_rate", "pass@1", "pass@3")
ALL = tuple(name.replace("K", "3") for name in shipped().names())
TaskRewards = list[list[float]]


def run(*, attempts: int = 10_000) -> Table:
    """Return one table for that many tasks with 8 samples each, 5 % of them failed or undefined."""
    samples = _samples(attempts)
    tasks = RewardEvidence(samples).metric_input("reward").task_rewards
    lines = [
        *_against(
            "four metrics, packing included", lambda: _values(tasks, FOUR), _plain(tasks, FOUR)
        ),
        *_against(
            f"all {len(ALL)} metrics with their intervals",
            lambda: _estimates(tasks),
            _plain_estimates(tasks),
            rounds=1,
        ),
        *_against(
            f"bootstrap of a sum, {DRAWS:,} draws",
            lambda: bootstrap_sums(_sums(tasks)),
            _plain_bootstrap(tasks),
            rounds=1,
        ),
        Line("from samples to all values", _time_text(_spent(lambda: _whole(samples), 3)), ""),
    ]
    return Table(f"Metrics of {attempts:,} tasks × {SAMPLES} samples", lines)


def _samples(tasks: int) -> list[Sample]:
    """Return samples with rewards in quarters; half of the missing ones failed, half are
    undefined."""
    dice = random.Random(1)
    samples = []
    for task in range(tasks):
        for number in range(SAMPLES):
            rewards: dict[str, float] | None = {"reward": dice.choice((0.0, 0.25, 0.5, 1.0, 1.0))}
            if dice.random() < MISSING:
                rewards = dice.choice((None, {"other": 1.0}))
            samples.append(Sample(f"task-{task}", number, rewards))
    return samples


def _against(
    what: str, ours: Callable[[], object], plain: Callable[[], object], rounds: int = ROUNDS
) -> list[Line]:
    """Time both alternately, so that both see the same machine load."""
    pairs = [(_spent(ours, max(rounds, 3)), _spent(plain, 1)) for _ in range(rounds)]
    mine = statistics.median(one for one, _ in pairs)
    other = statistics.median(two for _, two in pairs)
    return [
        Line(what, _time_text(mine), f"{other / mine:.1f} × as fast"),
        Line("– plain Python", _time_text(other), "1"),
    ]


def _spent(call: Callable[[], object], rounds: int) -> float:
    """Return the milliseconds of the fastest of some rounds."""
    best = math.inf
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        best = min(best, (time.perf_counter() - start) * 1000)
    return best


def _time_text(milliseconds: float) -> str:
    return f"{milliseconds:,.1f} ms"


# Ours


def _values(tasks: TaskRewards, names: Sequence[str]) -> list[float]:
    packed = MetricInput(tasks, 0, None).packed
    parts = [shipped().get(name)().parts(*packed) for name in names]
    return [float(above.sum() / below.sum()) for above, below in parts]


def _estimates(tasks: TaskRewards) -> list[object]:
    given = MetricInput(tasks, 0, None)
    return [in_process(shipped().get(name)())(given) for name in ALL]


def _whole(samples: list[Sample]) -> object:
    specs = parse_metrics([{"type": name, "reward": "reward"} for name in ALL])
    return metric_values(RewardEvidence(samples), specs, _reduce_of, _no_script)


def _reduce_of(spec: MetricSpec) -> Reduce:
    return in_process(shipped().get(spec.type)())


def _no_script(spec: MetricSpec) -> Callable[..., dict[str, object]]:
    raise LookupError(spec.type)


# Straightforward Python


def _plain(tasks: TaskRewards, names: Sequence[str]) -> Callable[[], object]:
    made = [shipped().get(name)() for name in names]
    return lambda: [metric.compute(tasks) for metric in made]


def _plain_estimates(tasks: TaskRewards) -> Callable[[], object]:
    """Estimate each metric over all tasks and each task, its deviation over tasks, and one
    bootstrap.
    """

    def estimates() -> object:
        estimated: list[object] = []
        for name in ALL:
            metric = shipped().get(name)()
            by_task = [metric.compute([rewards]) for rewards in tasks if rewards]
            defined = [value for value in by_task if value is not None]
            error = statistics.pstdev(defined) / math.sqrt(len(defined))
            estimated.append((metric.compute(tasks), error))
        return estimated, _plain_bootstrap(tasks)()

    return estimates


def _plain_bootstrap(tasks: TaskRewards) -> Callable[[], object]:
    sums = _sums(tasks).tolist()
    dice = random.Random(1)
    return lambda: sorted(sum(dice.choices(sums, k=len(sums))) for _ in range(DRAWS))


def _sums(tasks: TaskRewards) -> Floats:
    return task_sums(*MetricInput(tasks, 0, None).packed)
