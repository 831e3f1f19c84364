"""Metrics and tasks in the form of a challenge."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from leaderboard.models import Challenge, Tenant
from leaderboard.services.challenges.challenges import create_challenge
from tests.admin.pages import check_refused, form_of, saved, typed, url

pytestmark = pytest.mark.django_db

METRICS = ["pass@1", {"type": "mean", "name": "physics", "reward": "physics"}]
TASKS = [{"name": "lock", "rewards": ["reward"]}, {"name": "key"}]


@pytest.fixture
def solve(north: Tenant) -> Challenge:
    fields = {
        "name": "Solve",
        "scoring_strategy": "metric",
        "metrics": METRICS,
        "tasks": TASKS,
        "num_samples": 3,
        "min_coverage": 0.9,
        "unknown_tasks": "keep",
        "rank_by": [{"key": "pass@1", "direction": "desc"}],
    }
    return create_challenge(tenant=north, user=None, fields=fields)


def test_metrics_and_tasks_are_typed_as_json(as_nora: Client, sprint: Challenge) -> None:
    path = url("challenge", "change", sprint.pk)
    post = typed(
        as_nora.get(path),
        scoring_strategy="metric",
        metrics=json.dumps(METRICS),
        tasks=json.dumps(TASKS),
        rewards='[{"name": "reward", "min": 0, "max": 1}]',
        num_samples="3",
        min_coverage="0.9",
        unknown_tasks="keep",
        rank_by__0__key="physics",
        rank_by__1__key="cost_per_task",
        rank_by__1__direction="asc",
    )
    saved(as_nora, path, post)
    sprint.refresh_from_db()
    config = sprint.newest
    assert (config.metrics, config.tasks) == (METRICS, TASKS)
    assert config.rewards == [{"name": "reward", "min": 0, "max": 1}]
    assert (config.num_samples, config.min_coverage, config.unknown_tasks) == (3, 0.9, "keep")
    assert [key["key"] for key in config.rank_by] == ["physics", "cost_per_task"]


def test_saving_unchanged_metrics_makes_no_version(as_nora: Client, solve: Challenge) -> None:
    path = url("challenge", "change", solve.pk)
    saved(as_nora, path, typed(as_nora.get(path), summary="Said anew"))
    solve.refresh_from_db()
    assert (solve.summary, solve.newest.number) == ("Said anew", 1)


def test_without_metrics_the_field_stays_empty_after_a_post(
    as_nora: Client, sprint: Challenge
) -> None:
    path = url("challenge", "change", sprint.pk)
    form = form_of(as_nora.post(path, {**typed(as_nora.get(path)), "_load": "1"}))
    assert (form["metrics"].value(), form["tasks"].value()) == ("", "")


def test_each_metric_has_a_line(as_nora: Client, solve: Challenge) -> None:
    form = form_of(as_nora.get(url("challenge", "change", solve.pk)))
    assert form["metrics"].value().splitlines()[0] == '["pass@1",'
    assert json.loads(form["metrics"].value()) == METRICS
    assert len(form["tasks"].value().splitlines()) == len(TASKS)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("metrics", '["pass@1", {"type": "mean", "failed": "never"}]', "metrics.1.failed: must be"),
        ("metrics", '["no-such-metric"]', "metrics.0.type: No metric registered under"),
        (
            "metrics",
            '["pass@1", "pass@1"]',
            'metrics.1: must have a name of its own; got "pass@1" twice',
        ),
        ("metrics", '{"type": "mean"}', "must be a JSON list"),
        ("metrics", "[oops", "must be JSON"),
        (
            "tasks",
            '[{"name": "a"}, {"name": "a"}]',
            'tasks.1.name: must be named once; got "a" twice',
        ),
        ("num_samples", "0", "from 1 to"),
        ("min_coverage", "1.5", "above 0, at most 1"),
    ],
)
def test_errors_name_the_place(
    as_nora: Client, solve: Challenge, field: str, value: str, message: str
) -> None:
    path = url("challenge", "change", solve.pk)
    check_refused(as_nora, path, field, value, message)


def test_an_unknown_rank_key_is_refused_at_its_row(as_nora: Client, solve: Challenge) -> None:
    path = url("challenge", "change", solve.pk)
    answer = as_nora.post(path, typed(as_nora.get(path), rank_by__1__key="no such key"))
    assert list(form_of(answer).errors) == ["rank_by.1.key"]


def test_the_page_lists_the_known_metrics(as_nora: Client, solve: Challenge) -> None:
    content = as_nora.get(url("challenge", "change", solve.pk)).content.decode()
    for key in ("score", "pass@1", "physics", "time_per_task"):
        assert f'<option value="{key}"></option>' in content
    assert "2 tasks declared, coverage 0.9" in content
    assert "<code>pass^K:unbiased</code> Chance that all of K samples" in content


def test_metrics_can_be_chosen_from_those_of_this_server(as_nora: Client, solve: Challenge) -> None:
    path = url("challenge", "change", solve.pk)
    page = as_nora.get(path)
    assert "Share of tasks where any of the first K samples passes" in page.content.decode()
    chosen = ["max", "pass^K", "pass@K"]
    post = typed(page, metrics_chosen=chosen, metrics_k="3", text_metrics_chosen=["CHRF"])
    saved(as_nora, path, post)
    solve.refresh_from_db()
    assert solve.newest.metrics == [*METRICS, "max", "pass^3", "pass@3"]
    assert solve.newest.text_metrics == ["CHRF"]


def test_a_listed_metric_is_not_added_again(as_nora: Client, solve: Challenge) -> None:
    path = url("challenge", "change", solve.pk)
    saved(as_nora, path, typed(as_nora.get(path), metrics_chosen=["pass@K"]))
    solve.refresh_from_db()
    assert (solve.newest.metrics, solve.newest.number) == (METRICS, 1)


def test_decimals_of_rank_keys_are_stored(as_nora: Client, solve: Challenge) -> None:
    path = url("challenge", "change", solve.pk)
    saved(as_nora, path, typed(as_nora.get(path), rank_by__0__decimals="2"))
    solve.refresh_from_db()
    assert solve.newest.rank_by == [{"key": "pass@1", "direction": "desc", "decimals": 2}]
    number = solve.newest.number
    saved(as_nora, path, typed(as_nora.get(path), summary="x"))
    solve.refresh_from_db()
    assert solve.newest.number == number
