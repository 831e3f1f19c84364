"""From samples to metric values, and on to scores, ranks, columns and cells."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Attempt, Challenge, Evidence, Score, ScoringConfig, Tenant, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.rules.rewards.reductions import MetricFailed
from leaderboard.services.attempts.retry import restore_attempt, withdraw_attempt
from leaderboard.services.board.boards import board_at, lock_shown_boards
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.standings.counting import rebuild_standings, verify_standings
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.evaluation.attempts_to_score import attempts_to_score
from leaderboard.services.evaluation.time_slices import TimeSlice
from leaderboard.services.plugins import metric_registry
from leaderboard.services.plugins.metric_registry import reduce_of
from leaderboard.services.plugins.sandboxes import close_sandboxes
from leaderboard.services.scoring import measure, rescoring, single
from tests.services.conftest import Run
from tests.services.workers import rescored

Make = Callable[..., Challenge]

PHYSICS = [65, 72, 58, 81, 45, 67, 73, 59, 68, 74]
CHEMISTRY = [88, 76]


@pytest.fixture
def make(tenant: Tenant, alice: User) -> Make:
    def made(**fields: Any) -> Challenge:
        plain = {"name": "Bench", "scoring_strategy": "metric", "rank_by": [{"key": "mean"}]}
        return create_challenge(tenant=tenant, user=alice, fields=plain | fields)

    return made


def rows(challenge: Challenge) -> dict[str, BoardRow]:
    challenge.refresh_from_db()
    return {row.participant.handle: row for row in ranking.page_after(board_at(challenge)).rows}


def keys(challenge: Challenge) -> list[str]:
    challenge.refresh_from_db()
    return [column.key for column in ranking.columns_of(challenge)]


def domains() -> list[Sample]:
    """Return ten tasks of physics and two of chemistry."""
    physics = (Sample(f"p{at}", 0, {"physics_reward": reward}) for at, reward in enumerate(PHYSICS))
    chemistry = (
        Sample(f"c{at}", 0, {"chemistry_reward": reward}) for at, reward in enumerate(CHEMISTRY)
    )
    return [*physics, *chemistry]


def test_undefined_rewards_do_not_lower_a_mean(make: Make, run: Run) -> None:
    metrics = [
        {"type": "mean", "name": kind, "reward": f"{kind}_reward"}
        for kind in ("physics", "chemistry", "biology")
    ]
    rank_by = [{"key": "physics"}, {"key": "chemistry"}]
    challenge = make(metrics=metrics, rank_by=rank_by)
    run(challenge, "atlas", samples=domains())
    row = rows(challenge)["atlas"]
    assert row.values["physics"] == pytest.approx(66.2)
    assert row.values["chemistry"] == pytest.approx(82.0)
    assert "biology" not in row.values
    assert (row.cells["physics"]["defined"], row.cells["physics"]["total"]) == (10, 12)
    assert (row.cells["chemistry"]["defined"], row.cells["chemistry"]["total"]) == (2, 12)
    assert row.cells["biology"] == {"defined": 0, "total": 12, "reason": "undefined"}
    low, high = row.cells["physics"]["interval"]
    assert low < 66.2 < high
    assert row.rank == 1
    assert keys(challenge)[:3] == ["physics", "chemistry", "biology"]


def test_each_of_several_rank_keys_has_its_own_direction(make: Make, run: Run) -> None:
    by = [{"key": "solved", "direction": "desc"}, {"key": "penalty_minutes", "direction": "asc"}]
    challenge = make(rank_by=by)
    run(challenge, "slow", values={"solved": 9, "penalty_minutes": 1100})
    run(challenge, "fast", values={"solved": 9, "penalty_minutes": 995})
    run(challenge, "few", values={"solved": 8, "penalty_minutes": 1})
    run(challenge, "none", metrics={"elapsed_ms": 1})
    by_name = rows(challenge)
    assert {name: row.rank for name, row in by_name.items()} == {
        "fast": 1,
        "slow": 2,
        "few": 3,
        "none": None,
    }
    assert by_name["none"].unranked == "no_value"
    assert keys(challenge)[:2] == ["solved", "penalty_minutes"]
    column = ranking.columns_of(challenge)[0]
    assert "reported" in column.description.lower()


def test_a_reported_value_never_replaces_a_computed_one(make: Make, run: Run) -> None:
    """It does so neither at submission, nor when a metric of the same name is added later."""
    challenge = make(rank_by=[{"key": "skill"}])
    run(challenge, "boaster", values={"skill": 1.0})
    assert rows(challenge)["boaster"].rank == 1
    metrics = [{"type": "mean", "name": "skill"}]
    change_challenge(challenge, user=None, fields={"metrics": metrics})
    rescored(challenge)
    row = rows(challenge)["boaster"]
    assert (row.rank, row.unranked, row.values) == (None, "no_value", {})


def test_costs_are_computed_without_a_metric_and_can_rank(make: Make, run: Run) -> None:
    challenge = make(
        scoring_strategy="metric", rank_by=[{"key": "cost_per_task", "direction": "asc"}]
    )
    for name, cost in (("dear", 0.5), ("cheap", 0.1)):
        usage = {"cost_usd": cost, "elapsed_ms": 4000, "tokens_total": 900}
        run(challenge, name, samples=[Sample("a", 0, {"reward": 1.0}, usage)])
    assert list(rows(challenge)) == ["cheap", "dear"]
    row = rows(challenge)["cheap"]
    assert (row.values["time_per_task"], row.values["tokens_per_task"]) == (4.0, 900.0)
    assert keys(challenge)[:3] == ["cost_per_task", "time_per_task", "tokens_per_task"]


def test_low_coverage_is_not_ranked(make: Make, run: Run) -> None:
    tasks = [{"name": f"t{at}"} for at in range(10)]
    challenge = make(metrics=["mean"], tasks=tasks, min_coverage=0.9)
    run(challenge, "most", task_rewards={f"t{at}": [0.1] for at in range(9)})
    run(challenge, "few", task_rewards={f"t{at}": [1.0] for at in range(8)})
    half = {f"t{at}": [1.0 if at < 5 else None] for at in range(10)}
    run(challenge, "unlucky", task_rewards=half)
    by_name = rows(challenge)
    assert (by_name["unlucky"].rank, by_name["most"].rank) == (1, 2), "failed tasks are covered"
    assert (by_name["unlucky"].values["mean"], by_name["unlucky"].cells["mean"]["failed"]) == (
        0.5,
        5,
    )
    assert (by_name["few"].rank, by_name["few"].unranked) == (None, "low_coverage")
    assert by_name["few"].cells["mean"]["total"] == 10


def test_a_failed_metric_does_not_affect_the_others(
    make: Make, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def one_is_gone(spec: Any, timeout_ms: int | None = None) -> Any:
        if spec.type == "max":
            raise MetricFailed("not_installed", "It is gone.")
        return reduce_of(spec, timeout_ms)

    challenge = make(metrics=["mean", "max"])
    monkeypatch.setattr(metric_registry, "reduce_of", one_is_gone)
    attempt = run(challenge, "atlas", task_rewards={"a": [1.0]})
    row = rows(challenge)["atlas"]
    assert row.values["mean"] == 1.0
    assert row.cells["max"]["reason"] == "not_installed"
    score = Score.objects.get(attempt=attempt)
    assert score.metric_values["max"]["error"] == {
        "code": "not_installed",
        "message": "It is gone.",
    }
    assert (score.error_code, Attempt.objects.get().status) == ("", "scored")


def test_several_rewards_have_several_columns(make: Make, run: Run) -> None:
    challenge = make(metrics=["max"], scoring_strategy="first", rank_by=[])
    assert keys(challenge)[:2] == ["submitted_at", "max"]
    run(challenge, "atlas", metrics={"succeeded": True}, samples=domains())
    assert keys(challenge)[1:3] == ["max:physics_reward", "max:chemistry_reward"]
    assert rows(challenge)["atlas"].values["max:physics_reward"] == 81
    by_name = ranking.sorted_by(board_at(challenge), "max:physics_reward", descending=True).rows
    assert [row.participant.handle for row in by_name] == ["atlas"]


def test_declared_rewards_have_columns_without_attempts(make: Make) -> None:
    tasks = [{"name": "a", "rewards": ["x"]}, {"name": "b", "rewards": ["y", "x"]}]
    challenge = make(metrics=["max"], tasks=tasks, rank_by=[{"key": "max:x"}])
    assert keys(challenge)[:2] == ["max:x", "max:y"]
    assert ranking.columns_of(challenge)[0].ranked


def test_boards_sort_by_values_of_any_name(make: Make, run: Run) -> None:
    keys = ("solved@1", "skill-1.0", "a__b", "7")
    challenge = make(rank_by=[{"key": key, "direction": "asc"} for key in keys])
    for number in (10, 9, 100):
        run(challenge, f"p{number}", values=dict.fromkeys(keys, number))
    run(challenge, "none", metrics={})
    challenge.refresh_from_db()
    for key in keys:
        page = ranking.sorted_by(board_at(challenge), key, descending=True)
        assert [row.participant.handle for row in page.rows] == ["p100", "p10", "p9", "none"], key


@pytest.fixture
def echoes(tmp_path: Path, settings: Any) -> Any:
    """A custom scorer that scores by the values it is given."""
    package = tmp_path / "house"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "echo.py").write_text(
        "class Echo:\n"
        "    def score(self, metrics, config, ctx):\n"
        "        values = metrics['values']\n"
        "        return {'score': values['mean'] * 10 + values['solved'], 'details': values}\n"
    )
    settings.SCORER_PACKAGES = ["scorers", "house"]
    settings.SCORER_PATH = [str(tmp_path)]
    close_sandboxes()
    yield "house.echo:Echo"
    close_sandboxes()
    sys.modules.pop("house", None)


def test_scorers_get_metric_values_and_reported_values(make: Make, run: Run, echoes: str) -> None:
    challenge = make(
        scoring_strategy="custom", rank_by=[], scoring_entrypoint=echoes, metrics=["mean"]
    )
    rewards = {"a": [1.0], "b": [0.0]}
    attempt = run(challenge, task_rewards=rewards, values={"solved": 3.0})
    score = Score.objects.get(attempt=attempt)
    assert (score.value, score.details) == (8.0, {"mean": 0.5, "solved": 3.0})

    config = rescored(challenge)
    again = Score.objects.get(attempt=attempt, config=config)
    assert (again.value, again.metric_values) == (8.0, score.metric_values)


def test_a_rescore_computes_new_metrics_from_old_samples(make: Make, run: Run) -> None:
    challenge = make(metrics=["mean"])
    run(challenge, "steady", task_rewards={"a": [0.6, 0.6]})
    run(challenge, "lucky", task_rewards={"a": [1.0, 0.0]})
    assert list(rows(challenge)) == ["steady", "lucky"]
    fields = {"metrics": ["pass@1"], "rank_by": [{"key": "pass@1"}]}
    change_challenge(challenge, user=None, fields=fields)
    config, total = rescoring.start_rescore(challenge)
    rescoring.work_on(config.pk)
    assert total == 2
    assert list(rows(challenge)) == ["lucky", "steady"]
    assert keys(challenge)[0] == "pass@1"
    assert verify_standings(challenge) == []


def test_removed_tasks_do_not_count(make: Make, run: Run) -> None:
    challenge = make(metrics=["mean"], tasks=[{"name": "a"}, {"name": "b"}])
    run(challenge, "atlas", task_rewards={"a": [1.0], "b": [0.0]})
    change_challenge(challenge, user=None, fields={"tasks": [{"name": "a"}]})
    rescored(challenge)
    row = rows(challenge)["atlas"]
    assert (row.values["mean"], row.cells["mean"]["total"]) == (1.0, 1)


def test_attempts_without_samples_read_no_evidence(make: Make, run: Run) -> None:
    challenge = make(metrics=["mean"], rank_by=[{"key": "elapsed_ms", "direction": "asc"}])
    with CaptureQueriesContext(connection) as queries:
        run(challenge, "atlas", metrics={"elapsed_ms": 5})
        rescored(challenge)
        rows(challenge)
    asked = [query["sql"] or "" for query in queries.captured_queries]
    assert any("leaderboard_score" in sql for sql in asked)
    assert not any(Evidence._meta.db_table in sql for sql in asked)
    assert Score.objects.filter(metric_values={}).count() == 2


def test_evidence_is_read_one_attempt_at_a_time(make: Make, run: Run) -> None:
    challenge = make(metrics=["mean"])
    for name in "abc":
        run(challenge, name, task_rewards={"t": [1.0]})
    config, _ = rescoring.start_rescore(challenge)
    with CaptureQueriesContext(connection) as queries:
        rescoring.work_on(config.pk)
    read = [
        q["sql"] for q in queries.captured_queries if Evidence._meta.db_table in (q["sql"] or "")
    ]
    assert len(read) == 3


def test_a_rebuild_derives_the_same_standings(make: Make, run: Run) -> None:
    challenge = make(metrics=["mean", "pass@1"], tasks=[{"name": "a"}], min_coverage=0.5)
    run(challenge, "atlas", task_rewards={"a": [0.5]}, values={"solved": 2})
    better = run(challenge, "atlas", task_rewards={"a": [1.0]}, values={"solved": 1})
    run(challenge, "borealis", values={"solved": 5})
    before = rows(challenge)
    assert before["atlas"].values == {"mean": 1.0, "pass@1": 1.0, "solved": 1}
    assert before["borealis"].unranked == "no_value"
    assert verify_standings(challenge) == []
    rebuild_standings(challenge)
    assert rows(challenge) == before
    withdraw_attempt(better, reason="a mistake")
    assert rows(challenge)["atlas"].values["mean"] == 0.5
    restore_attempt(better)
    assert rows(challenge) == before
    board_at(challenge).standings.filter(participant__handle="atlas").update(cells={})
    assert len(verify_standings(challenge)) == 1


def test_slow_attempts_are_measured_in_small_batches(
    make: Make, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = make(metrics=["mean"])
    for name in "abc":
        run(challenge, name, task_rewards={"t": [1.0]})
    config, attempts = challenge.newest, attempts_to_score(Attempt.objects.order_by("pk"))
    time_slice = TimeSlice(lambda stored: True)

    def sizes(seconds: float) -> list[int]:
        batches = measure.measured_batches(config, attempts, time_slice, seconds=seconds)
        return [len(batch) for batch in batches]

    assert sizes(60.0) == [3]
    assert sizes(0.0) == [1, 1, 1]
    monkeypatch.setattr(measure, "BATCH", 2)
    assert sizes(60.0) == [2, 1]


def test_metric_keys_are_stored_once(make: Make, run: Run) -> None:
    challenge = make(metrics=["mean"])
    for name in "ab":
        run(challenge, name, task_rewards={"t": [1.0]})
    assert ScoringConfig.objects.get(challenge=challenge).metric_keys == ["mean"]


@pytest.mark.django_db(transaction=True)
def test_metric_keys_are_stored_again_after_a_rollback(
    make: Make, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first save is rolled back, as if the board had switched in between."""
    challenge = make(metrics=["mean"])
    saves: list[Any] = []

    def switched(*args: Any) -> bool:
        saves.append(args)
        return len(saves) > 1 and lock_shown_boards(*args)

    monkeypatch.setattr(single, "lock_shown_boards", switched)
    run(challenge, "a", task_rewards={"t": [1.0]})
    assert len(saves) == 2
    assert ScoringConfig.objects.get(challenge=challenge).metric_keys == ["mean"]
