"""Metrics that are plugins or scripts, from the challenge that names them to the board."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, Score, Tenant, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.evaluation.metrics import longest
from leaderboard.services.plugins import sandboxes
from leaderboard.services.scoring import measure, single
from tests.plugin_files import Install
from tests.services.conftest import Bring, Run
from tests.services.refusals import check_refusals
from tests.services.workers import rescored

Make = Callable[..., Challenge]

METRICS = '''
class Worst:
    """The worst task.

    More about it.
    """

    name = "worst"
    direction = "asc"
    unit = "points"

    def compute(self, task_rewards):
        return min(sum(task) / len(task) for task in task_rewards if task)


class Fails:
    name = "fails"

    def compute(self, task_rewards):
        raise ValueError("no")


class Sleeps:
    name = "sleeps"

    def compute(self, task_rewards):
        import time

        time.sleep(60)
'''
COUNTS = """
import json, sys
rows = [json.loads(line) for line in open(sys.argv[2])]
answer = {"lines": len(rows), "failed": rows.count(None)}
json.dump(answer, open(sys.argv[4], "w"))
"""
BREAKS = "raise SystemExit('it broke')"


@pytest.fixture
def house(install_metrics: Install) -> None:
    """Add a package of metrics in an operator's folder."""
    install_metrics(house={"own": METRICS})


@pytest.fixture
def make(tenant: Tenant, alice: User) -> Make:
    def made(**fields: Any) -> Challenge:
        plain = {"name": "Bench", "scoring_strategy": "metric", "rank_by": [{"key": "worst"}]}
        return create_challenge(tenant=tenant, user=alice, fields=plain | fields)

    return made


@pytest.fixture
def score(run: Run) -> Callable[..., Score]:
    """Submit and score; return the stored score."""

    def scored(challenge: Challenge, participant: str = "atlas", **evidence: Any) -> Score:
        attempt = run(challenge, participant, **evidence)
        challenge.refresh_from_db()
        return Score.objects.get(attempt=attempt)

    return scored


def script(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "uv-script", "kwargs": {"script": text}, **more}


@pytest.mark.usefixtures("house")
def test_a_plugin_metric_ranks_and_names_its_column(
    make: Make, score: Callable[..., Score]
) -> None:
    by = [{"key": "worst", "direction": "asc"}]
    challenge = make(metrics=["worst", "mean", "fails"], rank_by=by)
    values = score(challenge, task_rewards={"a": [1.0, 0.0], "b": [1.0]}).metric_values
    assert (values["worst"]["value"], values["mean"]["value"]) == (0.5, pytest.approx(2 / 3))
    assert values["fails"]["error"]["code"] == "exception"
    score(challenge, "borealis", task_rewards={"a": [0.25], "b": [1.0]})
    rows = ranking.page_after(board_at(challenge)).rows
    assert [row.participant.handle for row in rows] == ["borealis", "atlas"]
    assert rows[0].cells["fails"]["reason"] == "failed"
    worst = ranking.columns_of(challenge)[0]
    assert (worst.description, worst.unit) == ("The worst task.", "points")

    config = rescored(challenge)
    assert challenge.shown == config
    assert ranking.columns_of(challenge)[0] == worst, "it is kept by a rescore"
    assert verify_standings(challenge) == []


@pytest.mark.usefixtures("house")
def test_a_removed_plugin_does_not_affect_the_others(
    make: Make, score: Callable[..., Score], settings: Any
) -> None:
    challenge = make(metrics=["worst", "mean"], rank_by=[{"key": "mean"}])
    settings.SCORER_PATH, settings.SCORER_PACKAGES = [], ["scorers"]
    sandboxes.close_sandboxes()
    score(challenge, task_rewards={"a": [1.0]})
    (row,) = ranking.page_after(board_at(challenge)).rows
    assert (row.rank, row.values["mean"]) == (1, 1.0)


@pytest.mark.usefixtures("house")
def test_one_time_limit_holds_for_all_rewards_of_a_plugin(
    make: Make, score: Callable[..., Score], monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = make(metrics=["sleeps"], timeout_ms=300, scoring_strategy="first", rank_by=[])
    samples = [Sample("a", 0, {f"r{at}": 1.0 for at in range(20)})]
    assert longest(challenge.newest) == timedelta(milliseconds=300)
    asked: list[Any] = []
    estimate = sandboxes.estimate

    def counting(*args: Any, **options: Any) -> Any:
        asked.append(args)
        return estimate(*args, **options)

    monkeypatch.setattr(sandboxes, "estimate", counting)
    values = score(challenge, samples=samples).metric_values
    assert len(asked) < 3, "the first has used up the time of all, give or take a moment"
    assert {value["error"]["code"] for value in values.values()} == {"timeout"}
    assert len(values) == 20


@pytest.mark.usefixtures("house")
def test_the_lease_lasts_as_long_as_metrics_may_take(
    make: Make, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = make(metrics=["worst", "mean"], timeout_ms=60_000)
    attempt = bring(challenge, task_rewards={"a": [1.0]})
    left: list[timedelta] = []
    original = measure.measured

    def looking(config: Any, measured_attempt: Any) -> Any:
        until = Attempt.objects.get(pk=attempt.pk).lease_until
        assert until is not None
        left.append(until - timezone.now())
        return original(config, measured_attempt)

    monkeypatch.setattr(single, "measured", looking)
    assert single.score_attempt(attempt.pk)
    assert timedelta(seconds=125) < left[0] < timedelta(seconds=200)


@pytest.mark.usefixtures("scripts_dir")
def test_a_script_gives_several_values(make: Make, score: Callable[..., Score]) -> None:
    metrics = [script(COUNTS, name="own"), script(BREAKS, name="broken"), "mean"]
    challenge = make(metrics=metrics, rank_by=[{"key": "own:lines"}])
    assert longest(challenge.newest) == timedelta(seconds=120)
    values = score(challenge, task_rewards={"a": [1.0, None], "b": [0.5]}).metric_values
    assert (values["own:lines"]["value"], values["own:failed"]["value"]) == (3.0, 1.0)
    assert values["broken"]["error"]["code"] == "exception"
    assert values["mean"]["value"] == 0.5
    (row,) = ranking.page_after(board_at(challenge)).rows
    assert row.rank == 1
    keys = [column.key for column in ranking.columns_of(challenge)]
    assert keys[:4] == ["own:lines", "own:failed", "broken", "mean"]


@pytest.mark.usefixtures("scripts_dir")
def test_a_script_that_cannot_be_prepared_is_refused(make: Make) -> None:
    wrong = "# /// script\n# dependencies = [\n# ///\nprint()"
    check_refusals(
        lambda text: make(metrics=["mean", script(text)]), [(wrong, "metrics.1.kwargs.script")]
    )
    assert not Challenge.objects.exists()


def test_the_error_for_disabled_scripts_names_the_setting(make: Make) -> None:
    check_refusals(
        lambda text: make(metrics=[script(text)]),
        [(COUNTS, "metrics.0.kwargs.script", "METRIC_SCRIPTS=on")],
    )


@pytest.mark.usefixtures("scripts_dir")
def test_scripts_that_were_disabled_later_fail_with_that_error(
    make: Make, score: Callable[..., Score], settings: Any
) -> None:
    challenge = make(metrics=[script(COUNTS, name="own"), "mean"], rank_by=[{"key": "mean"}])
    settings.METRIC_SCRIPTS = False
    values = score(challenge, task_rewards={"a": [1.0]}).metric_values
    assert values["own"]["error"]["code"] == "not_installed"
    assert values["mean"]["value"] == 1.0
    (row,) = ranking.page_after(board_at(challenge)).rows
    assert row.cells["own"]["reason"] == "not_installed"
    change_challenge(challenge, user=None, fields={"summary": "It still can be changed."})
