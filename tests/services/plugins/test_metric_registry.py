"""Plugin metrics by name: found, distinguished and computed; a failure affects only its metric."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leaderboard.rules.rewards.metric_inputs import MetricInput
from leaderboard.rules.rewards.reductions import MetricFailed, metric_values
from leaderboard.sandbox import SandboxError
from leaderboard.schemas.metrics import PluginMetric, parse_metrics
from leaderboard.services.plugins import sandboxes
from leaderboard.services.plugins.metric_registry import known_metrics, reduce_of, why_unknown
from scorers.metrics.registry import shipped
from tests.plugin_files import WORST_TASK, Install
from tests.rules.rewards_of import of_task_rewards
from tests.services.plugins.installed import installed_package

SEED = Path(__file__).parents[2] / "seeds" / "evsys_registry.json"

OTHERS = """
class Named:
    "Nothing but its class."
    name = "named"
    over = "nothing"
    direction = "asc"
    def compute(self, task_rewards):
        return 7
class Family:
    name = "twice@K"
    k = 1
    def compute(self, task_rewards):
        return 2 * self.k
class Fails:
    name = "fails"
    def compute(self, task_rewards):
        raise ValueError("no")
class Nan:
    name = "nan"
    def compute(self, task_rewards):
        return float("nan")
class Sleeps:
    name = "sleeps"
    def compute(self, task_rewards):
        import time
        time.sleep(60)
"""
TAKES = """
class Mean:
    name = "mean"
    def compute(self, task_rewards):
        return 0
class Member(Mean):
    name = "pass@7"
class Worst(Mean):
    name = "worst_task"
class Own(Mean):
    name = "own"
"""
DECORATED = """
from evsys_sdk.registry import register_metric

class Plain:
    name = "plain"
    def compute(self, task_rewards):
        return 1.0

register_metric()(Plain)
register_metric("plain")(Plain)
"""
TWICE = (
    DECORATED
    + """
@register_metric("plain")
class Other(Plain):
    pass
"""
)


def value(name: str, task_rewards: list[list[float]], timeout_ms: int = 5000) -> float | None:
    (spec,) = parse_metrics([name])
    return reduce_of(spec, timeout_ms)(MetricInput(task_rewards, 0, None)).value


def test_the_example_metric_runs_unchanged(install_metrics: Install) -> None:
    install_metrics(theirs={"worst": WORST_TASK})
    vectors = {vector["name"]: vector for vector in json.loads(SEED.read_text())["vectors"]}
    seed = vectors["seed_worst_task"]
    worst = value("worst_task", seed["input"]["task_rewards"])
    assert worst == pytest.approx(seed["expected"]["value"], abs=seed["tolerance"])
    names = [metric.name for metric in known_metrics()]
    assert names == sorted(names)
    assert set(vectors["list_is_sorted"]["expected"]["value"]) <= {
        *names,
        "pass@1",
        "pass@3",
        "pass^3",
    }
    assert value("worst_task", []) == 0.0


def test_shipped_metrics_are_listed_with_their_descriptions() -> None:
    metrics = {metric.name: metric for metric in known_metrics()}
    assert set(shipped().names()) <= set(metrics)
    assert metrics["mean"].entrypoint == "scorers.metrics.mean:Mean"
    assert metrics["pass@K"].entrypoint == "scorers.metrics.pass_at:PassAt"
    assert "first K samples" in metrics["pass@K"].doc
    assert metrics["pass@K"].over == "tasks"
    assert [metric for metric in metrics.values() if metric.error] == []


def test_shipped_metrics_run_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandboxes, "sandbox", None)
    assert value("mean", [[1.0, 0.0]]) == 0.5
    assert value("pass@2", [[0.0, 1.0], [0.0, 0.0, 1.0]]) == 0.5


def test_a_metric_describes_itself(install_metrics: Install) -> None:
    install_metrics(theirs={"others": OTHERS})
    named = {metric.name: metric for metric in known_metrics()}["named"]
    assert (named.over, named.direction, named.doc) == ("nothing", "asc", "Nothing but its class.")
    assert named.entrypoint == "theirs.metrics.others:Named"


def test_a_name_with_k_matches_every_number(install_metrics: Install) -> None:
    install_metrics(theirs={"others": OTHERS})
    assert [value(f"twice@{k}", [[1.0]]) for k in (1, 3, 10)] == [2, 6, 20]
    for name in ("twice@K", "twice@0", "twice"):
        assert "No metric registered under" in why_unknown(name)


def test_the_same_class_may_be_found_twice(install_metrics: Install) -> None:
    install_metrics(theirs={"plain": DECORATED})
    assert value("plain", []) == 1.0


def test_two_classes_with_one_name_are_an_error_that_names_both(install_metrics: Install) -> None:
    install_metrics(second={"takes": TAKES}, first={"worst": WORST_TASK})
    metrics = {metric.entrypoint: metric for metric in known_metrics()}
    errors = {name: metric.error.message for name, metric in metrics.items() if metric.error}
    taken = {
        "second.metrics.takes:Mean": ("mean", "scorers.metrics.mean:Mean"),
        "second.metrics.takes:Member": ("pass@7", "scorers.metrics.pass_at:PassAt"),
        "first.metrics.worst:WorstTask": ("worst_task", "second.metrics.takes:Worst"),
    }
    assert errors == {
        new: f"A metric {name!r} is already registered (existing={existing}, new={new})."
        for new, (name, existing) in taken.items()
    }
    assert value("mean", [[1.0]]) == 1.0
    assert value("own", [[1.0]]) == value("worst_task", [[1.0]]) == 0


def test_two_metrics_with_one_name_in_a_file_are_reported_to_the_organiser(
    install_metrics: Install,
) -> None:
    install_metrics(theirs={"twice": TWICE})
    (broken,) = [metric for metric in known_metrics() if metric.error]
    assert broken.error is not None
    assert (
        "existing=theirs.metrics.twice.Plain, new=theirs.metrics.twice.Other" in broken.error.detail
    )
    assert "plain" not in {metric.name for metric in known_metrics()}


def test_the_error_for_an_unknown_name_lists_the_known_ones(install_metrics: Install) -> None:
    install_metrics(theirs={"worst": WORST_TASK})
    text = why_unknown("wurst")
    assert text.startswith("No metric registered under 'wurst'. Available: avg, losses, max, mean,")
    assert "worst_task" in text
    assert why_unknown("worst_task") == why_unknown("pass@3") == ""
    with pytest.raises(MetricFailed, match="No metric registered") as caught:
        reduce_of(PluginMetric(type="wurst"))
    assert caught.value.code == "not_installed"


def test_a_failed_metric_does_not_affect_the_others(
    install_metrics: Install, settings: Any
) -> None:
    def limited(spec: Any) -> Any:
        """Only the one that sleeps gets so little time: a busy machine needs more."""
        settings.SCORER_TIMEOUT_MS = 300 if spec.type == "sleeps" else 60_000
        return reduce_of(spec)

    install_metrics(theirs={"others": OTHERS, "broken": "import no_such_library"})
    specs = parse_metrics(["mean", "fails", "nan", "sleeps", "named"])
    evidence = of_task_rewards({"task": [1.0, 0.0]})
    values = metric_values(evidence, specs, limited, lambda spec: pytest.fail("no script here"))
    assert {key: metric_value["value"] for key, metric_value in values.items()} == {
        "mean": 0.5,
        "named": 7.0,
        **dict.fromkeys(("fails", "nan", "sleeps")),
    }
    errors = {
        key: metric_value["error"]["code"]
        for key, metric_value in values.items()
        if metric_value["error"]
    }
    assert errors == {"fails": "exception", "nan": "invalid_result", "sleeps": "timeout"}


def test_metrics_are_searched_once_a_minute(
    install_metrics: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_metrics(theirs={"worst": WORST_TASK})
    assert value("worst_task", [[0.5]]) == 0.5
    monkeypatch.setattr(sandboxes, "discover_metrics", None)
    assert value("worst_task", [[0.25]]) == 0.25


def test_shipped_metrics_are_known_without_a_working_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(**_: object) -> None:
        raise SandboxError("no zygote")

    monkeypatch.setattr(sandboxes, "discover_metrics", refuse)
    assert value("mean", [[1.0]]) == 1.0
    assert why_unknown("pass@3") == ""
    assert [metric.error.detail for metric in known_metrics() if metric.error] == ["no zygote"]


PYPROJECT = """
[project]
name = "acme-metrics"
version = "1.0"
[project.entry-points."evsys_sdk.metrics"]
worst_task = "acme_metrics.worst:WorstTask"
[project.entry-points."podium.metrics"]
worst_task = "acme_metrics.worst:WorstTask"
named = "acme_metrics.others:Named"
[tool.setuptools.packages.find]
include = ["acme_metrics*"]
"""
ASKING = """
import django
django.setup()
from leaderboard.schemas.metrics import parse_metrics
from leaderboard.rules.rewards.reductions import metric_values
from leaderboard.rules.rewards.evidence import RewardEvidence, Sample
from leaderboard.services.plugins.metric_registry import known_metrics, reduce_of, why_unknown
print(*(each.name for each in known_metrics() if each.entrypoint.startswith("acme_metrics.")))
print([each.error for each in known_metrics() if each.error])
specs = parse_metrics(["mean", "worst_task", "named"])
rewards = [("a", 0, 1), ("a", 1, 0), ("b", 0, 0.2)]
evidence = RewardEvidence(Sample(task, at, {"reward": reward}) for task, at, reward in rewards)
values = metric_values(evidence, specs, reduce_of, None)
print(*(f"{key}={value['value']:g}" for key, value in values.items()))
print(why_unknown("fails")[:30])
"""


@pytest.mark.once
def test_an_installed_package_offers_metrics_in_both_groups() -> None:
    """The package is installed into a separate environment and found by its entry points."""
    modules = {"worst": WORST_TASK, "others": OTHERS}
    with installed_package("acme_metrics", PYPROJECT, modules) as checkout:
        checkout.write("ask.py", ASKING)
        done = checkout.run("DJANGO_SETTINGS_MODULE=leaderboard.settings python ask.py")
    assert done.stdout.splitlines() == [
        "named worst_task",
        "[]",
        "mean=0.4 worst_task=0.2 named=7",
        "No metric registered under 'fa",
    ], done.stderr
