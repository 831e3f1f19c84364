"""Columns of metrics, of costs per task and of reported values, and their descriptions."""

from __future__ import annotations

from typing import Any

from leaderboard.columns import check_overrides, columns_for, get_column, named_keys
from leaderboard.columns.metric import metric_keys
from leaderboard.schemas.metrics import parse_metrics


def keys(*metrics: Any, **more: Any) -> list[str]:
    return [
        column.key for column in columns_for([("score", "desc")], parse_metrics(metrics), **more)
    ]


def description(metric: Any, key: str = "") -> str:
    specs = parse_metrics([metric])
    return get_column(key or specs[0].name, specs).description


def test_metrics_are_between_the_rank_keys_and_the_facts() -> None:
    column_keys = keys(
        "mean", "pass@1", named=["solved", "elapsed_ms"], value_keys=["cost_per_task", "mean"]
    )
    assert column_keys[:6] == ["score", "mean", "pass@1", "solved", "cost_per_task", "elapsed_ms"]


def test_a_ranked_metric_comes_first_and_once() -> None:
    specs = parse_metrics(["mean", "pass@1"])
    columns = columns_for([("pass@1", "desc"), ("solved", "asc")], specs)
    assert [column.key for column in columns[:3]] == ["pass@1", "solved", "mean"]
    assert [column.ranked for column in columns[:3]] == [True, True, False]
    assert columns[1].direction == "asc"


def test_a_metric_has_a_column_for_each_value() -> None:
    cases: list[tuple[list[Any], list[str], list[str], list[str]]] = [
        (["mean"], [], [], ["mean"]),
        (["mean"], ["x"], [], ["mean"]),
        (["mean"], ["x", "y"], [], ["mean:x", "mean:y"]),
        (["mean"], [], ["mean:x"], ["mean:x"]),
        (["mean"], ["x", "y"], ["mean:z"], ["mean:x", "mean:y", "mean:z"]),
        (["mean"], [], ["mean", "mean:x", "gone", "cost_per_task"], ["mean", "mean:x"]),
        ([{"type": "mean", "name": "m", "reward": "x"}], ["x", "y"], [], ["m"]),
        (["pass@1", "pass@1:unbiased"], [], ["pass@1:unbiased"], ["pass@1", "pass@1:unbiased"]),
        ([{"type": "uv-script", "kwargs": {"script": "x"}}], ["x", "y"], [], ["uv-script"]),
        (
            [{"type": "uv-script", "name": "own", "kwargs": {"script": "x"}}],
            [],
            ["own:a", "own:b"],
            ["own:a", "own:b"],
        ),
    ]
    for metrics, rewards, value_keys, expected in cases:
        assert metric_keys(parse_metrics(metrics), rewards, value_keys) == expected, metrics


def test_tooltips_describe_what_is_computed_and_what_counts() -> None:
    assert "first 3 samples" in description("pass@3")
    assert "first sample" in description("pass@1")
    assert description("pass^1") == description("pass@1")
    plain = description("mean")
    spec = {"type": "mean", "name": "m", "reward": "x"}
    assert description(spec) == f"{plain} Of x."
    assert description("mean", "mean:physics") == f"{plain} Of physics."
    excluded = description({**spec, "failed": "exclude"}).removeprefix(f"{plain} Of x. ")
    assert excluded.startswith("Failed samples")
    zero = description({**spec, "undefined": "zero"}).removeprefix(f"{plain} Of x. ")
    assert zero.endswith("counts 0.")
    both_settings = description({**spec, "failed": "exclude", "undefined": "zero"})
    assert both_settings == f"{plain} Of x. {excluded} {zero}"


def test_columns_of_plugin_metrics_have_their_descriptions() -> None:
    specs = parse_metrics(["worst", "best"])
    note = {"description": "The worst task.\n\nMore.", "direction": "asc", "unit": "points"}
    worst, best = columns_for([], specs, notes={"worst": note})[:2]
    assert (worst.description, worst.direction, worst.unit) == ("The worst task.", "asc", "points")
    assert (best.description, best.direction) == ("What best makes of the rewards.", "desc")


def test_values_have_their_units() -> None:
    cases: list[tuple[str, float, str]] = [
        ("time_per_task", 4.04, "4.0 s"),
        ("tokens_per_task", 1234.4, "1,234"),
        ("cost_per_task", 0.04, "$0.0400"),
        ("solved", 9.0, "9.00"),
    ]
    for key, value, text in cases:
        assert get_column(key).text(value) == text, key


def test_costs_per_task_are_shown_if_an_attempt_reports_them() -> None:
    assert "time_per_task" not in keys("mean")
    assert "time_per_task" in keys("mean", value_keys=["time_per_task"])


def test_impossible_names_of_values_get_no_column() -> None:
    overrides: Any = [{"key": "no name"}, {"key": "solved"}]
    assert named_keys(overrides) == ["no name", "solved"]
    assert keys("mean", named=named_keys(overrides))[1:3] == ["mean", "solved"]


def test_names_of_metrics_may_be_any_text() -> None:
    specs = parse_metrics([{"type": "mean", "name": "Physics, all"}])
    columns = columns_for([("score", "desc")], specs, named=["Physics, all"])
    check_overrides(columns, [{"key": "Physics, all", "label": "Physics"}])
    assert [column.key for column in columns[:2]] == ["score", "Physics, all"]
