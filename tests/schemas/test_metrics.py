"""The metrics that a challenge may declare, and the errors for wrong declarations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from leaderboard.rules.ranking.places import RankKey
from leaderboard.schemas.harbor import parse_harbor_metrics
from leaderboard.schemas.metrics import (
    MAX_METRICS,
    MetricSpec,
    PluginMetric,
    check_known,
    parse_metrics,
)
from tests.schemas.refusals import refused

SCRIPT = {"script": "print(1)"}
VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "seeds" / "harbor_registry.json").read_text()
)["vectors"]


def problem_of_type(type_: str) -> str:
    return "" if type_ in ("mean", "pass@1") else "no such metric; there are: mean, pass@1"


def declared(entries: Any) -> None:
    check_known(parse_metrics(entries), problem_of_type)


def test_a_metric_is_a_name_or_an_object() -> None:
    entries = ["pass@1", {"type": "mean"}, {"type": "mean", "name": "physics", "reward": "p"}]
    assert parse_metrics(entries) == (
        PluginMetric(type="pass@1", name="pass@1"),
        PluginMetric(type="mean", name="mean"),
        PluginMetric(type="mean", name="physics", reward="p"),
    )
    assert parse_metrics([]) == ()


def test_a_spec_is_written_as_it_was_read() -> None:
    for entry in (
        "mean",
        {"type": "mean", "name": "physics", "reward": "p"},
        {"type": "mean", "failed": "exclude"},
        {"type": "mean", "undefined": "zero"},
        {"type": "uv-script", "kwargs": SCRIPT},
    ):
        (spec,) = parse_metrics([entry])
        assert spec.as_json() == entry, entry
        json.dumps(spec.as_json())


def test_errors_name_the_wrong_field() -> None:
    cases: list[tuple[Any, str, str]] = [
        ("mean", "metrics", "must be a list"),
        ({"type": "mean"}, "metrics", "must be a list"),
        (["mean"] * (MAX_METRICS + 1), "metrics", "at most 50"),
        ([None], "metrics.0", "must be the name"),
        ([["mean"]], "metrics.0", "must be the name"),
        (["mean", "nonsense"], "metrics.1.type", "there are: mean, pass@1"),
        ([{}], "metrics.0.type", "is required; got nothing"),
        ([{"type": 1}], "metrics.0.type", "must be a text"),
        ([""], "metrics.0.type", "must be a text"),
        (["cost_per_task"], "metrics.0.type", "another metric"),
        ([{"type": "mean", "label": "x"}], "metrics.0.label", "(type, name"),
        ([{"type": "mean", "name": None}], "metrics.0.name", "must be a text"),
        ([{"type": "mean", "name": " x"}], "metrics.0.name", "must be a text"),
        ([{"type": "mean", "name": "x" * 121}], "metrics.0.name", "1 to 120"),
        ([{"type": "mean", "name": "score"}], "metrics.0.name", "name of another value"),
        ([{"type": "mean", "name": "tokens_per_task"}], "metrics.0.name", "another value"),
        ([{"type": "mean", "reward": None}], "metrics.0.reward", "must be a text"),
        ([{"type": "mean", "reward": "a\nb"}], "metrics.0.reward", "must be a text"),
        (["pass@1", {"type": "mean", "failed": "one"}], "metrics.1.failed", "zero or exclude"),
        ([{"type": "mean", "undefined": []}], "metrics.0.undefined", "zero or exclude"),
        ([{"type": "mean", "kwargs": None}], "metrics.0.kwargs", "must be an object"),
        ([{"type": "mean", "kwargs": {"k": 3}}], "metrics.0.kwargs.k", "no fields here"),
        (["uv-script"], "metrics.0.kwargs.script", "is required; got nothing"),
        ([{"type": "uv-script", "kwargs": {"script": " "}}], "metrics.0.kwargs.script", "text"),
        (
            [{"type": "uv-script", "kwargs": {"script": "#" * 65_537}}],
            "metrics.0.kwargs.script",
            "got 65537",
        ),
        (
            [{"type": "uv-script", "kwargs": {"script": "1", "script_path": "m.py"}}],
            "metrics.0.kwargs.script_path",
            "(script)",
        ),
        (["mean", {"type": "pass@1", "name": "mean"}], "metrics.1", 'got "mean" twice'),
    ]
    for entries, field, message in cases:
        error = refused(declared, entries)
        assert error.field == field, error.message
        assert message in error.message


def test_several_rewards_have_several_values() -> None:
    cases: list[tuple[MetricSpec, list[str], list[tuple[str, str | None]]]] = [
        (PluginMetric(type="mean", name="m"), ["reward"], [("m", "reward")]),
        (PluginMetric(type="mean", name="m"), ["a", "b"], [("m:a", "a"), ("m:b", "b")]),
        (PluginMetric(type="mean", name="m", reward="b"), ["a", "b"], [("m", "b")]),
        (PluginMetric(type="mean", name="m", reward="c"), ["a", "b"], [("m", "c")]),
        (PluginMetric(type="mean", name="m"), [], [("m", None)]),
    ]
    for spec, rewards, keys in cases:
        assert spec.keys(rewards) == keys, spec


# Harbor's metrics.


def test_metrics_of_a_registry_are_read_as_by_harbor() -> None:
    for vector in VECTORS:
        scripts = {"my_custom_metric.py": "print(1)"}
        given = vector["input"].get("metrics", [])
        expected = vector["expected"]["value"]["metrics"]
        specs = parse_harbor_metrics(given, scripts)
        # a dataset without metrics gives none here, and its job then computes the mean
        assert [spec.type for spec in specs] == [entry["type"] for entry in expected] or ["mean"]
        assert {spec.undefined for spec in specs} == {"zero"}, vector["name"]
        assert {spec.failed for spec in specs} == {"zero"}, vector["name"]
        for spec, entry in zip(specs, expected, strict=False):
            path = entry["kwargs"].get("script_path")
            assert spec.script == (scripts[path] if path else ""), vector["name"]


def test_a_dataset_without_metrics_has_the_mean() -> None:
    mean = PluginMetric(type="mean", undefined="zero")
    assert parse_harbor_metrics([]) == parse_harbor_metrics([{}]) == (mean,)


def test_the_same_metric_twice_has_two_names() -> None:
    specs = parse_harbor_metrics([{"type": "mean"}] * 3)
    assert [spec.name for spec in specs] == ["mean", "mean-2", "mean-3"]


def test_metrics_that_harbor_would_refuse_are_refused() -> None:
    cases: list[tuple[Any, str, str]] = [
        ({}, "metrics", "must be a list"),
        (["mean"], "metrics.0", "must be an object"),
        (
            [{"type": "mean"}, {"type": "Mean"}],
            "metrics.1.type",
            "sum, min, max, mean or uv-script",
        ),
        ([{"type": "pass@1"}], "metrics.0.type", "must be sum, min"),
        ([{"type": "mean", "kwargs": {"x": 1}}], "metrics.0.kwargs.x", "no fields here"),
        (
            [{"type": "uv-script", "kwargs": {"script_path": "other.py"}}],
            "metrics.0.kwargs.script_path",
            "got other.py",
        ),
    ]
    for entries, field, message in cases:
        error = refused(parse_harbor_metrics, entries)
        assert error.field == field, error.message
        assert message in error.message


def test_the_keys_that_a_win_rate_compares_are_read() -> None:
    compared_keys = ["MMLU", {"key": "cost_usd", "direction": "asc", "decimals": 2}]
    (spec,) = parse_metrics([{"type": "mean_win_rate", "of": compared_keys}])
    assert spec.compared == (RankKey("MMLU", "desc"), RankKey("cost_usd", "asc", 2))


def test_errors_name_a_wrong_compared_key() -> None:
    cases: list[tuple[Any, str]] = [
        (None, "of"),
        ([], "of"),
        ("MMLU", "of"),
        ([5], "of.0"),
        ([""], "of.0.key"),
        (["a", "b", "a"], "of.2"),
        ([{"key": "a", "direction": "up"}], "of.0.direction"),
        ([{"key": "a", "decimals": 10}], "of.0.decimals"),
        ([{"key": "a", "weight": 1}], "of.0.weight"),
    ]
    for compared_keys, field in cases:
        error = refused(parse_metrics, [{"type": "mean_win_rate", "of": compared_keys}])
        assert error.field == f"metrics.0.{field}", error.message
