"""Metrics and tasks in the form of a challenge."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from leaderboard.models import Challenge, Tenant
from leaderboard.services.challenges.challenges import create_challenge
from tests.admin.pages import check_refused, form_of, saved, typed, url

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


def test_errors_name_the_place(as_nora: Client, solve: Challenge) -> None:
    path = url("challenge", "change", solve.pk)
    twice = '[{"name": "a"}, {"name": "a"}]'
    for field, value, message in (
        ("metrics", '["pass@1", {"type": "mean", "failed": "never"}]', "metrics.1.failed:"),
        ("metrics", '["no-such-metric"]', "metrics.0.type: No metric registered"),
        ("metrics", '{"type": "mean"}', "a JSON list"),
        ("metrics", "[oops", "must be JSON"),
        ("tasks", twice, 'got "a" twice'),
        ("num_samples", "0", "from 1 to"),
        ("min_coverage", "1.5", "above 0, at most 1"),
    ):
        check_refused(as_nora, path, field, value, message)
    answer = as_nora.post(path, typed(as_nora.get(path), rank_by__1__key="no such key"))
    assert list(form_of(answer).errors) == ["rank_by.1.key"]


def test_metrics_can_be_chosen_from_those_of_this_server(as_nora: Client, solve: Challenge) -> None:
    path = url("challenge", "change", solve.pk)
    page = as_nora.get(path)
    content = page.content.decode()
    for key in ("score", "pass@1", "physics", "time_per_task"):
        assert f'<option value="{key}"></option>' in content
    assert "2 tasks declared" in content
    assert "<code>pass^K:unbiased</code>" in content
    saved(as_nora, path, typed(page, metrics_chosen=["pass@K"]))
    solve.refresh_from_db()
    assert (solve.newest.metrics, solve.newest.number) == (METRICS, 1), "it is listed already"
    chosen = ["max", "pass^K", "pass@K"]
    post = typed(
        as_nora.get(path), metrics_chosen=chosen, metrics_k="3", text_metrics_chosen=["CHRF"]
    )
    saved(as_nora, path, post)
    solve.refresh_from_db()
    assert solve.newest.metrics == [*METRICS, "max", "pass^3", "pass@3"]
    assert solve.newest.text_metrics == ["CHRF"]


def test_decimals_of_rank_keys_are_stored_and_unchanged_metrics_make_no_version(
    as_nora: Client, solve: Challenge
) -> None:
    path = url("challenge", "change", solve.pk)
    for changes in ({"rank_by__0__decimals": "2"}, {"summary": "Said anew"}):
        saved(as_nora, path, typed(as_nora.get(path), **changes))
        solve.refresh_from_db()
        assert solve.newest.rank_by == [{"key": "pass@1", "direction": "desc", "decimals": 2}]
        assert solve.newest.number == 2
    assert solve.summary == "Said anew"
