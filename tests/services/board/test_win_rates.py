"""Boards whose values compare participants: correct after every change, and when derived again."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from leaderboard.models import Challenge, Standing, Tenant, User
from leaderboard.rules.ranking.standing_draft import StandingDraft
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.attempts.retry import restore_attempt, withdraw_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.standings import comparisons
from leaderboard.services.board.standings.counting import rebuild_standings, verify_standings
from leaderboard.services.board.standings.drafts import rewrite
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.challenges.rescores import progress_of
from leaderboard.services.scoring import rescoring, single
from leaderboard.services.scoring.sweeper import sweep
from tests.databases import rows_taken_back
from tests.services.conftest import Bring, Ranks, Rows, Run
from tests.services.refusals import check_refusals, refusal

Make = Callable[..., Challenge]

SCENARIOS = ("boolq", "narrative", "toxicity")
WIN_RATE = {
    "type": "mean_win_rate",
    "name": "Mean win rate",
    "of": ["boolq", "narrative", {"key": "toxicity", "direction": "asc"}],
}
MEANS = [{"type": "mean", "name": name, "reward": name} for name in SCENARIOS]


@pytest.fixture
def make(tenant: Tenant, alice: User) -> Make:
    def made(**fields: Any) -> Challenge:
        plain = {
            "name": "Bench",
            "scoring_strategy": "metric",
            "metrics": [WIN_RATE, *MEANS],
            "rank_by": [{"key": "Mean win rate"}, {"key": "boolq"}],
        }
        return create_challenge(tenant=tenant, user=alice, fields=plain | fields)

    return made


def scored(*rewards: float | None) -> dict[str, Any]:
    """Return evidence with one task for each scenario; None means that it was not run."""
    pairs = zip(SCENARIOS, rewards, strict=True)
    return {
        "samples": [Sample(name, 0, {name: value}) for name, value in pairs if value is not None]
    }


def win_rates(by_name: dict[str, Any]) -> dict[str, float | None]:
    return {name: row.values.get("Mean win rate") for name, row in by_name.items()}


def test_a_mean_win_rate_is_computed_as_helm_does(
    make: Make, run: Run, rows: Rows, ranks: Ranks
) -> None:
    """Computed by hand: atlas beats 2 of 2, beats 1 of 2 and ties once (0.75), and is least
    toxic."""
    challenge = make()
    run(challenge, "atlas", **scored(0.9, 0.5, 0.2))
    run(challenge, "borea", **scored(0.8, 0.6, 0.2))
    run(challenge, "ceres", **scored(0.7, 0.4, 0.5))
    assert win_rates(rows(challenge)) == pytest.approx(
        {"atlas": (1 + 0.5 + 0.75) / 3, "borea": (0.5 + 1 + 0.75) / 3, "ceres": 0.0}
    )
    assert ranks(challenge) == {"atlas": 1, "borea": 2, "ceres": 3}
    cell = rows(challenge)["atlas"].cells["Mean win rate"]
    assert cell == {"defined": 3, "total": 3, "interval_reason": "not_estimated"}
    assert verify_standings(challenge) == []


def test_a_single_participant_has_no_win_rate(make: Make, run: Run, rows: Rows) -> None:
    challenge = make()
    run(challenge, "atlas", **scored(0.9, 0.5, 0.2))
    row = rows(challenge)["atlas"]
    assert (row.rank, row.unranked) == (None, "no_value")
    assert row.cells["Mean win rate"] == {"defined": 0, "total": 3, "reason": "not_compared"}
    run(challenge, "borea", **scored(0.1, 0.1, 0.9))
    assert win_rates(rows(challenge)) == {"atlas": 1.0, "borea": 0.0}


def test_withdrawing_compares_the_others_again(make: Make, run: Run, rows: Rows) -> None:
    challenge = make()
    run(challenge, "atlas", **scored(0.9, 0.5, 0.2))
    run(challenge, "borea", **scored(0.8, 0.6, 0.2))
    gone = run(challenge, "ceres", **scored(0.95, 0.7, 0.1))
    before = win_rates(rows(challenge))
    withdraw_attempt(gone, reason="a mistake")
    assert win_rates(rows(challenge)) == {"atlas": 0.5, "borea": 0.5, "ceres": None}
    assert rows(challenge)["ceres"].unranked == "withdrawn"
    assert verify_standings(challenge) == []
    restore_attempt(gone)
    assert win_rates(rows(challenge)) == before
    assert verify_standings(challenge) == []


def test_the_best_attempt_is_the_best_by_the_other_keys(make: Make, run: Run, rows: Rows) -> None:
    challenge = make()
    run(challenge, "borea", **scored(0.8, 0.6, 0.2))
    first = run(challenge, "atlas", **scored(0.9, 0.1, 0.9))
    run(challenge, "atlas", **scored(0.7, 0.9, 0.0))
    assert rows(challenge)["atlas"].attempt_id == first.pk
    assert win_rates(rows(challenge)) == pytest.approx({"borea": 2 / 3, "atlas": 1 / 3})


def test_a_win_rate_ranks_only_with_the_required_coverage(make: Make, run: Run, rows: Rows) -> None:
    """As in HELM, a mean over part of the scenarios counts, but does not rank if full coverage is
    required."""
    challenge = make(metrics=[{**WIN_RATE, "min_coverage": 1.0}, *MEANS])
    run(challenge, "atlas", **scored(0.9, 0.5, 0.2))
    run(challenge, "borea", **scored(0.8, 0.6, 0.2))
    run(challenge, "part", **scored(1.0, None, None))
    by_name = rows(challenge)
    assert by_name["part"].values["Mean win rate"] == 1.0
    assert by_name["part"].unranked == "low_coverage"
    assert by_name["part"].cells["Mean win rate"]["not_ranked"] == "low_coverage"
    assert {by_name[name].rank for name in ("atlas", "borea")} == {1, 2}


def test_values_that_do_not_rank_are_not_compared(make: Make, run: Run, rows: Rows) -> None:
    means = [{**MEANS[0], "reported": "allow"}, *MEANS[1:]]
    challenge = make(metrics=[WIN_RATE, *means])
    run(challenge, "atlas", **scored(0.9, 0.5, 0.2))
    run(challenge, "borea", **scored(0.8, 0.4, 0.3))
    run(challenge, "stated", values={"boolq": 1.0})
    assert win_rates(rows(challenge)) == {"atlas": 1.0, "borea": 0.0, "stated": None}


def test_reported_values_are_compared_too(make: Make, run: Run, rows: Rows) -> None:
    """The scenarios are taken from a paper: there is no evidence, only one number each."""
    challenge = make(
        metrics=[{"type": "mean_win_rate", "of": ["boolq", "narrative"]}],
        values=["boolq", "narrative"],
        rank_by=[{"key": "mean_win_rate"}, {"key": "boolq"}],
    )
    for name, (boolq, narrative) in {"a": (0.9, 0.1), "b": (0.8, 0.3), "c": (0.7, 0.2)}.items():
        run(challenge, name, values={"boolq": boolq, "narrative": narrative})
    rates = {name: row.values["mean_win_rate"] for name, row in rows(challenge).items()}
    assert rates == {"b": 0.75, "a": 0.5, "c": 0.25}


def test_any_order_of_attempts_and_a_rebuild_give_the_same(make: Make, run: Run) -> None:
    dice = random.Random(5)
    challenge = make()
    for _ in range(25):
        rewards = [dice.choice([None, 0.0, 0.25, 0.5, 1.0]) for _ in SCENARIOS]
        if any(reward is not None for reward in rewards):
            run(challenge, f"p{dice.randrange(9)}", **scored(*rewards))
        challenge.refresh_from_db()
        assert verify_standings(challenge) == []
    stored = Standing.objects.order_by("sort_key", "participant").values_list(
        "participant", "cells"
    )
    before = list(stored)
    rebuild_standings(challenge)
    assert list(stored) == before


def test_a_large_board_is_compared_once_for_all_waiting_attempts(
    make: Make, bring: Bring, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparisons, "SMALL", 1)
    calls: list[int] = []

    def counted(board_id: int, lines: Sequence[StandingDraft]) -> None:
        calls.append(board_id)
        rewrite(board_id, lines)

    monkeypatch.setattr(comparisons, "rewrite", counted)
    challenge = make()
    for at, name in enumerate("abcd"):
        bring(challenge, name, **scored(0.5 + at / 10, 0.5, 0.2))
    single.score_waiting()
    assert len(calls) == 2  # of the first attempt, which is alone on the board, and of the last
    assert [row.rank for row in rows(challenge).values()] == [1, 2, 3, 4]
    assert verify_standings(challenge) == []


def test_the_sweeper_makes_a_pending_comparison(
    make: Make, bring: Bring, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attempts that were to come next still wait; the scored ones are compared anyway."""
    monkeypatch.setattr(comparisons, "SMALL", 0)
    challenge = make()
    first, second, _ = (bring(challenge, name, **scored(0.5, 0.5, 0.2)) for name in "abc")
    single.score_attempt(first.pk)
    single.score_attempt(second.pk)
    assert [row.unranked for row in rows(challenge).values()] == ["no_value"] * 2
    version = board_at(challenge).version
    with rows_taken_back():
        assert verify_standings(challenge) == []  # verifying compares them as well
    sweep()
    assert [row.rank for row in rows(challenge).values()] == [1, 1]
    assert board_at(challenge).version > version
    assert comparisons.compare_what_waits() == 0
    assert verify_standings(challenge) == []


def test_verifying_finds_a_wrong_win_rate(make: Make, run: Run) -> None:
    challenge = make()
    run(challenge, "atlas", **scored(0.9, 0.5, 0.2))
    run(challenge, "borea", **scored(0.8, 0.6, 0.2))
    wrong = Standing.objects.latest("pk")
    Standing.objects.filter(pk=wrong.pk).update(values=wrong.values | {"Mean win rate": 0.99})
    challenge.refresh_from_db()
    assert len(verify_standings(challenge)) == 1


def test_a_rescore_compares_its_board(make: Make, bring: Bring, alice: User, rows: Rows) -> None:
    challenge = make(metrics=MEANS, rank_by=[{"key": "boolq"}])
    for at, name in enumerate(("atlas", "borea", "ceres")):
        bring(challenge, name, **scored(0.5 + at / 10, 0.5 - at / 10, 0.3))
    single.score_waiting()
    change_challenge(
        challenge,
        user=alice,
        fields={
            "metrics": [WIN_RATE, *MEANS],
            "rank_by": [{"key": "Mean win rate"}, {"key": "boolq"}],
        },
    )
    challenge.refresh_from_db()
    config, _ = rescoring.start_rescore(challenge, user=alice)
    while not progress_of(config).finished:
        rescoring.work_on(config.pk)
        config.refresh_from_db()
    assert win_rates(rows(challenge)) == pytest.approx(
        dict.fromkeys(("ceres", "borea", "atlas"), 0.5)
    )
    assert [row.rank for row in rows(challenge).values()] == [1, 2, 3]
    assert verify_standings(challenge) == []


def test_errors_name_the_wrong_win_rates(make: Make) -> None:
    def create(metric: dict[str, Any]) -> Challenge:
        return make(metrics=[metric, *MEANS], rank_by=[{"key": "boolq"}])

    win_rate = {"type": "mean_win_rate", "of": ["boolq"]}
    cases = [
        ({"type": "mean_win_rate"}, "metrics.0.of"),
        (win_rate | {"reward": "boolq"}, "metrics.0.reward"),
        (win_rate | {"reported": "rank"}, "metrics.0.reported"),
        (win_rate | {"of": ["mean_win_rate"]}, "metrics.0.of.0"),
        (win_rate | {"of": ["bolq"]}, "metrics.0.of.0"),
        ({"type": "mean", "name": "x", "of": ["boolq"]}, "metrics.0.of"),
    ]
    check_refusals(create, cases)
    error = refusal(lambda: create(win_rate | {"of": ["submitted_at"]}))
    offered, _, sent = error.fields["metrics.0.of.0"][0].partition("; got ")
    assert sent == '"submitted_at"'
    assert "boolq" in offered
    assert not {"submitted_at", "mean_win_rate"} & set(offered.replace(",", "").split())


def test_a_metric_of_several_rewards_is_compared_by_reward(make: Make) -> None:
    tasks = [{"name": "a", "rewards": ["boolq"]}, {"name": "b", "rewards": ["mmlu"]}]
    metrics = [{"type": "mean_win_rate", "of": ["mean"]}, "mean"]
    error = refusal(lambda: make(metrics=metrics, tasks=tasks, rank_by=[{"key": "mean:boolq"}]))
    assert list(error.fields) == ["metrics.0.of.0"]
    assert '"mean:boolq", "mean:mmlu"' in error.message


def test_the_best_attempt_needs_a_key_that_is_not_a_win_rate(
    make: Make, run: Run, rows: Rows
) -> None:
    alone = [{"key": "Mean win rate"}]
    error = refusal(lambda: make(rank_by=alone))
    assert list(error.fields) == ["rank_by"]
    assert "further key" in error.message
    challenge = make(rank_by=alone, counting="latest")
    run(challenge, "atlas", **scored(0.9, 0.5, 0.2))
    run(challenge, "borea", **scored(0.8, 0.6, 0.2))
    run(challenge, "atlas", **scored(0.1, 0.1, 0.9))
    assert win_rates(rows(challenge)) == {"borea": 1.0, "atlas": 0.0}
    assert verify_standings(challenge) == []


def test_a_win_rate_is_not_reported(make: Make, run: Run) -> None:
    challenge = make(metrics=[{**WIN_RATE, "name": "win"}, *MEANS], rank_by=[{"key": "boolq"}])
    error = refusal(lambda: run(challenge, "atlas", values={"win": 1.0}))
    assert list(error.fields) == ["values.win"]
    assert "compares participants" in error.message
