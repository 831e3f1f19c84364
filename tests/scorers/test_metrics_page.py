"""docs/metrics.md names every metric with its own description, and its figures are right."""

import inspect
import json
import math
import re
from pathlib import Path
from typing import get_args

from leaderboard.rules.rewards.distributions import wilson
from leaderboard.rules.rewards.evidence import RewardEvidence, RewardState, Sample
from leaderboard.rules.rewards.intervals import estimate
from leaderboard.rules.rewards.reductions import economics
from leaderboard.rules.texts.value_names import ECONOMICS
from leaderboard.schemas.metrics import PluginMetric, WinRateMetric, parse_metrics
from scorers.metrics.mean import Mean
from scorers.metrics.registry import Registry, shipped

FIELDS = (*PluginMetric.model_fields, *WinRateMetric.model_fields)
PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()


def table(first_cell: str) -> dict[str, list[str]]:
    """Return the rows of the table whose header begins with `first_cell`, by their first cells."""
    lines = PAGE.split(f"| {first_cell} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    rows = ([cell.strip() for cell in line.strip("| ").split("|")] for line in lines)
    return {name.strip("`"): rest for name, *rest in rows}


def described(registry: Registry, name: str) -> list[str]:
    cls = registry.get(name.replace("K", "7"))
    summary = inspect.cleandoc(cls.__doc__ or "").split("\n\n")[0]
    return [re.sub(r"\b7\b", "K", text) for text in (cls.over, summary)]


def test_the_page_has_every_metric_with_its_description() -> None:
    registry = shipped()
    assert table("name") == {name: described(registry, name) for name in registry.names()}


def test_each_table_is_complete() -> None:
    cases: list[tuple[str, tuple[str, ...]]] = [
        ("state", get_args(RewardState)),
        ("field", FIELDS),
        ("key", ECONOMICS),
    ]
    for first_cell, names in cases:
        assert set(table(first_cell)) == set(names), first_cell


def test_the_example_of_metrics_is_valid() -> None:
    match = re.search(r"```json\n(.+?)```", PAGE, re.S)
    assert match
    names = [spec.name for spec in parse_metrics(json.loads(match[1]))]
    assert names == ["pass_rate", "pass@3", "physics", "strict"]


def test_the_example_of_two_domains_is_right() -> None:
    rows = table("reward")
    samples = [
        Sample(f"task-{number}", 0, {reward: float(cell)})
        for reward, (cells, *_) in rows.items()
        for number, cell in enumerate(cells.split(", "))
        if cell != "–"
    ]
    evidence = RewardEvidence(samples)
    diluted: list[float | None] = []
    for reward, (_, mean, over) in rows.items():
        metric_input = evidence.metric_input(reward)
        value = Mean().compute(metric_input.task_rewards)
        assert ("–" if value is None else f"{value:.1f}") == mean
        assert f"{sum(map(bool, metric_input.task_rewards))}/{metric_input.total}" == over
        diluted.append(Mean().compute(evidence.metric_input(reward, undefined="zero").task_rewards))
    physics, chemistry, _ = diluted
    assert f"would be {physics:.1f} and {chemistry:.1f}." in PAGE


def test_the_units_are_right() -> None:
    usage = {"elapsed_ms": 4000, "input_tokens": 900, "output_tokens": 100, "cost_usd": 0.25}
    costs = economics(RewardEvidence([Sample("task", 0, {"reward": 1}, usage)]))
    values = [value["value"] for value in costs.values()]
    assert values == [4.0, 1000, 0.25]
    assert [unit for unit, _ in table("key").values()] == ["s", "tokens", "USD"]


def test_the_figures_are_right() -> None:
    tasks = [[1.0, 1, 1, 0], [0.0, 0, 0, 1], [1.0, 1, 1, 1]]
    estimated = estimate(Mean(), tasks)
    assert (
        f"mean {estimated.value:.3f} and the standard error\n{estimated.standard_error:.3f}" in PAGE
    )
    assert f"claim {math.sqrt(8 / 12 * 4 / 12 / 12):.3f}" in PAGE
    for passed in (7, 10):
        low, high = wilson(passed, 10)
        assert f"{passed} of 10 make {low:.3f} to {high:.3g}" in PAGE
    estimators = (("pass@3", [1, 1, 0, 0, 0]), ("pass^3", [1, 1, 1, 1, 0]))
    for name, rewards in estimators:
        value = shipped().get(f"{name}:unbiased")().compute([rewards])
        assert f"`{name}:unbiased` {value:.1f}" in PAGE


def test_the_page_names_the_metrics_that_are_zero_without_tasks() -> None:
    sentence = PAGE.split("If a metric covers no task, ")[1].split(" are 0")[0]
    zero = {
        name
        for name in shipped().names()
        if shipped().get(name.replace("K", "3"))().compute([]) == 0
    }
    assert set(re.findall(r"`(.+?)`", sentence)) == zero
