"""What a challenge may say about its metrics, and what it is told when it is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leaderboard.rules.metric_specs import (
    MAX_METRICS,
    MetricSpec,
    parse_harbor_metrics,
    parse_metrics,
)
from leaderboard.rules.spec_names import SpecError

SCRIPT = {"script": "print(1)"}
VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "seeds" / "harbor_registry.json").read_text()
)["vectors"]


def known(type_: str) -> str:
    return "" if type_ in ("mean", "pass@1") else "no such metric; there are: mean, pass@1"


def test_a_metric_is_a_name_or_an_object() -> None:
    entries = ["pass@1", {"type": "mean"}, {"type": "mean", "name": "physics", "reward": "p"}]
    assert parse_metrics(entries, known) == (
        MetricSpec("pass@1", "pass@1", None, "zero", "exclude", {}),
        MetricSpec("mean", "mean"),
        MetricSpec("mean", "physics", "p"),
    )
    assert parse_metrics([]) == ()


@pytest.mark.parametrize(
    "entry",
    [
        "mean",
        {"type": "mean", "name": "physics", "reward": "p"},
        {"type": "mean", "failed": "exclude"},
        {"type": "mean", "undefined": "zero"},
        {"type": "uv-script", "kwargs": SCRIPT},
    ],
)
def test_it_is_written_as_it_was_read(entry: Any) -> None:
    (spec,) = parse_metrics([entry], known)
    assert spec.as_json() == entry
    json.dumps(spec.as_json())


@pytest.mark.parametrize(
    ("entries", "field", "message"),
    [
        ("mean", "metrics", "must be a list"),
        ({"type": "mean"}, "metrics", "must be a list"),
        (["mean"] * (MAX_METRICS + 1), "metrics", "at most 50"),
        ([None], "metrics.0", "must be the name"),
        ([["mean"]], "metrics.0", "must be the name"),
        (["mean", "nonsense"], "metrics.1.type", "there are: mean, pass@1"),
        ([{}], "metrics.0.type", "is required"),
        ([{"type": 1}], "metrics.0.type", "must be a text"),
        ([""], "metrics.0.type", "must be a text"),
        (["cost_per_task"], "metrics.0.type", "comes by itself"),
        ([{"type": "mean", "label": "x"}], "metrics.0.label", "unknown field; known: type, name"),
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
        ([{"type": "mean", "kwargs": {"k": 3}}], "metrics.0.kwargs.k", "there are none here"),
        (["uv-script"], "metrics.0.kwargs.script", "must be the text of a script"),
        ([{"type": "uv-script", "kwargs": {"script": " "}}], "metrics.0.kwargs.script", "text"),
        (
            [{"type": "uv-script", "kwargs": {"script": "#" * 65_537}}],
            "metrics.0.kwargs.script",
            "at most 65536",
        ),
        (
            [{"type": "uv-script", "kwargs": {"script_path": "m.py"}}],
            "metrics.0.kwargs.script_path",
            "known: script",
        ),
        (["mean", {"type": "pass@1", "name": "mean"}], "metrics.1", "mean is named twice"),
    ],
)
def test_what_is_wrong_is_told_by_its_field(entries: Any, field: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_metrics(entries, known)
    assert caught.value.field == field
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("spec", "rewards", "keys"),
    [
        (MetricSpec("mean", "m"), ["reward"], [("m", "reward")]),
        (MetricSpec("mean", "m"), ["a", "b"], [("m:a", "a"), ("m:b", "b")]),
        (MetricSpec("mean", "m", "b"), ["a", "b"], [("m", "b")]),
        (MetricSpec("mean", "m", "c"), ["a", "b"], [("m", "c")]),
        (MetricSpec("mean", "m"), [], [("m", None)]),
    ],
)
def test_several_rewards_make_several_values(
    spec: MetricSpec, rewards: list[str], keys: list[tuple[str, str | None]]
) -> None:
    assert spec.keys(rewards) == keys


# Harbor's


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_harbors_registry_is_read_alike(vector: dict[str, Any]) -> None:
    scripts = {"my_custom_metric.py": "print(1)"}
    given = vector["input"].get("metrics", [])
    expected = vector["expected"]["value"]["metrics"]
    found = parse_harbor_metrics(given, scripts)
    # A dataset that says nothing is read as none, and its job then computes the mean.
    assert [spec.type for spec in found] == [entry["type"] for entry in expected] or ["mean"]
    assert {spec.undefined for spec in found} == {"zero"}
    assert {spec.failed for spec in found} == {"zero"}
    for spec, entry in zip(found, expected, strict=False):
        path = entry["kwargs"].get("script_path")
        assert spec.kwargs == ({"script": scripts[path]} if path else {})


def test_a_dataset_without_metrics_has_the_mean() -> None:
    mean = MetricSpec("mean", "mean", undefined="zero")
    assert parse_harbor_metrics([]) == parse_harbor_metrics([{}]) == (mean,)


def test_the_same_metric_twice_has_two_names() -> None:
    found = parse_harbor_metrics([{"type": "mean"}] * 3)
    assert [spec.name for spec in found] == ["mean", "mean-2", "mean-3"]


@pytest.mark.parametrize(
    ("entries", "field", "message"),
    [
        ({}, "metrics", "must be a list"),
        (["mean"], "metrics.0", "must be an object"),
        ([{"type": "mean"}, {"type": "Mean"}], "metrics.1.type", "one of sum, min, max, mean"),
        ([{"type": "pass@1"}], "metrics.0.type", "one of sum"),
        ([{"type": "mean", "kwargs": {"x": 1}}], "metrics.0.kwargs.x", "unknown field"),
        (
            [{"type": "uv-script", "kwargs": {"script_path": "other.py"}}],
            "metrics.0.kwargs.script_path",
            "the script other.py is not there",
        ),
    ],
)
def test_what_harbor_would_refuse_is_refused(entries: Any, field: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_harbor_metrics(entries)
    assert caught.value.field == field
    assert message in caught.value.message
