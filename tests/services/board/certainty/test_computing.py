"""How certain the order of a real board is: computed by a worker after each change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from leaderboard.models import Attempt, Board, BoardCertainty, Challenge, Tenant
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.rules.statistics.certainties import Certainty
from leaderboard.services.attempts.retry import withdraw_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.certainty import board_parts
from leaderboard.services.board.certainty import computing as certainty
from leaderboard.services.board.certainty.computing import judge, look_after_certainty
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring.sweeper import sweep
from tests.services.conftest import Run
from tests.services.evaluation.evaluating import Make

FIRST = [1.0] * 60 + [1.0] * 15 + [0.0] * 5 + [0.0] * 20
EXCLUDING = {"type": "mean_reward", "failed": "exclude"}
SECOND = [1.0] * 60 + [0.0] * 15 + [1.0] * 5 + [0.0] * 20


def rewards(values: Sequence[float | None]) -> dict[str, Any]:
    """Return evidence with a task for each value; None means that it was not run."""
    tasks = enumerate(values)
    return {"samples": [Sample(f"t{at:03}", 0, {"r": v}) for at, v in tasks if v is not None]}


def stored(challenge: Challenge) -> Certainty:
    challenge.refresh_from_db()
    board = board_at(challenge)
    assert board.is_judged
    row = BoardCertainty.objects.get(board=board)
    assert row.version == board.version
    stored_certainty = row.read()
    assert stored_certainty
    return stored_certainty


def test_a_real_board_gives_the_checked_numbers(cup: Make, run: Run) -> None:
    """60 tasks both right, 15 only the first, 5 only the second, 20 both wrong."""
    challenge = cup()
    run(challenge, "atlas", **rewards(FIRST))
    run(challenge, "borea", **rewards(SECOND))
    assert look_after_certainty() == 1
    stored_certainty = stored(challenge)
    (rival,) = stored_certainty.verdict.rivals
    assert stored_certainty.verdict.state == "clear_lead"
    assert rival.lead == pytest.approx(0.10)
    assert rival.p == pytest.approx(0.04138946533203125)
    assert rival.interval == pytest.approx((0.10 - 1.98421695 * 0.0438086, 0.186926), abs=1e-5)
    assert [(row.best, row.worst) for row in stored_certainty.rows] == [(1, 1), (2, 2)]
    assert stored_certainty.verdict.smallest
    assert look_after_certainty() == 0


def test_many_changes_are_one_computation(
    cup: Make, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge, judged = cup(), []

    def counted(board: Board) -> bool:
        judged.append(board.pk)
        return judge(board)

    monkeypatch.setattr(certainty, "judge", counted)
    for name in ("atlas", "borea", "ceres"):
        run(challenge, name, **rewards(FIRST))
    sweep()
    sweep()
    assert len(judged) == 1
    assert [row.rival for row in stored(challenge).rows] == [None] * 3


def test_a_board_that_changed_in_the_meantime_is_not_judged(cup: Make, run: Run) -> None:
    challenge = cup()
    attempt = run(challenge, "atlas", **rewards(FIRST))
    board = board_at(challenge)
    withdraw_attempt(attempt, reason="a mistake")
    assert not judge(board)
    assert not BoardCertainty.objects.exists()
    assert look_after_certainty() == 1
    assert BoardCertainty.objects.get().verdict is None


def test_tasks_that_were_not_run_are_left_out(cup: Make, run: Run) -> None:
    challenge = cup()
    run(challenge, "atlas", **rewards([1.0] * 10 + [None] * 10))
    run(challenge, "borea", **rewards([0.0] * 10 + [1.0] * 10))
    run(challenge, "part", **rewards([None] * 17 + [0.0, 0.0, 0.5]))
    look_after_certainty()
    stored_certainty = stored(challenge)
    assert [row.reason for row in stored_certainty.rows] == [None, None, "few_tasks"]
    borea = stored_certainty.rows[1].rival
    assert borea
    assert (borea.shared, borea.lead, borea.same_tasks) == (10, 1.0, False)


def test_every_mean_has_parts(cup: Make, run: Run) -> None:
    tasks = [{"name": f"t{at:03}", "weight": 1.0 + at % 3} for at in range(20)]
    solved = {"atlas": [1.0] * 15 + [0.0] * 5, "borea": [0.0] * 12 + [1.0] * 8}
    for metric in ("pass@1", "mean", "weighted_mean", "pass@2:unbiased", EXCLUDING):
        challenge = cup(metric, tasks=tasks, min_coverage=None, name=str(metric)[:20])
        for name, values in solved.items():
            samples = [
                Sample(f"t{at:03}", n, {"r": v}) for at, v in enumerate(values) for n in (0, 1)
            ]
            run(challenge, name, samples=[*samples[1:], Sample("t019", 2, None)])
        look_after_certainty()
        certainty = stored(challenge)
        assert certainty.why is None, metric
        assert certainty.verdict.state == "not_told_apart", metric
        assert (certainty.verdict.rivals[0].lead or 0) > 0.1, metric


def test_other_metrics_have_no_parts(cup: Make, run: Run) -> None:
    tasks = [{"name": f"t{at:03}", "group": "g"} for at in range(10)]
    for metric in ("max", "sum", {"type": "mean", "over": "groups"}):
        challenge = cup(metric, tasks=tasks, name=str(metric)[:20])
        run(challenge, "atlas", **rewards([1.0] * 10))
        run(challenge, "borea", **rewards([0.5] * 10))
        look_after_certainty()
        certainty = stored(challenge)
        assert (certainty.why, certainty.verdict.state) == ("no_parts", "no_samples"), metric
        assert {row.reason for row in certainty.rows} == {"no_parts"}, metric


def test_a_mean_of_attempts_has_no_certainty(cup: Make, run: Run) -> None:
    challenge = cup(counting="mean")
    run(challenge, "atlas", **rewards(FIRST))
    run(challenge, "borea", **rewards(SECOND))
    look_after_certainty()
    assert stored(challenge).why == "mean_of_attempts"


def test_every_attempt_may_have_a_row(cup: Make, run: Run) -> None:
    challenge = cup(counting="all")
    run(challenge, "atlas", **rewards(FIRST))
    run(challenge, "atlas", **rewards(SECOND))
    look_after_certainty()
    rows = stored(challenge).rows
    assert len({row.attempt for row in rows}) == 2
    assert [(row.best, row.worst) for row in rows] == [(1, 1), (2, 2)]


def test_reported_values_come_without_samples(cup: Make, run: Run) -> None:
    challenge = cup({"type": "mean_reward", "reported": "rank"})
    run(challenge, "atlas", **rewards(FIRST))
    run(challenge, "borea", **rewards(SECOND))
    run(challenge, "ceres", values={"mean_reward": 0.9})
    look_after_certainty()
    stored_certainty = stored(challenge)
    assert [row.reason for row in stored_certainty.rows] == ["no_samples", None, None]
    assert stored_certainty.verdict.state == "no_samples"


def test_rewards_that_cannot_be_squared_do_not_pass_for_missing_samples(
    cup: Make, run: Run
) -> None:
    """Behind the leader they leave its verdict."""
    for huge, reasons, verdict in (
        (1e160, ["too_large_rewards", None, None], ("no_samples", "too_large_rewards")),
        (1e300, ["too_large_rewards", None, None], ("no_samples", "too_large_rewards")),
        (-1e160, [None, None, "too_large_rewards"], ("not_told_apart", None)),
    ):
        challenge = cup(name=f"Cup of {huge:.0e}")
        run(challenge, "atlas", **rewards(FIRST))
        run(challenge, "borea", **rewards(SECOND))
        run(challenge, "ceres", **rewards([huge] * 20))
        look_after_certainty()
        certainty = stored(challenge)
        assert [row.reason for row in certainty.rows] == reasons, huge
        assert (certainty.verdict.state, certainty.why) == verdict, huge


def test_each_phase_and_freeze_has_a_certainty_of_its_own(cup: Make, run: Run) -> None:
    first = {"slug": "main", "opens_at": "2026-01-01T00:00Z", "freezes_at": "2126-01-01T00:00Z"}
    phases = [{**first, "closes_at": "2126-02-01T00:00Z"}]
    phases.append({"slug": "other", "opens_at": "2126-03-01T00:00Z"})
    challenge = cup(phases=phases)
    run(challenge, "atlas", **rewards(FIRST))
    look_after_certainty()
    judged = Board.objects.filter(certainty__isnull=False)
    assert judged.count() == Board.objects.count() == 3


def test_large_boards_are_compared_in_part(
    cup: Make, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = cup()
    for at, name in enumerate(("atlas", "borea", "ceres", "delos")):
        run(challenge, name, **rewards(FIRST[at:]))
    monkeypatch.setattr(board_parts, "MOST_NUMBERS", 300)
    look_after_certainty()
    assert len(stored(challenge).rows) == 3
    assert BoardCertainty.objects.get().ranked == 4
    Board.objects.update(judged_version=None)
    monkeypatch.setattr(board_parts, "MOST_SAMPLES", 150)
    look_after_certainty()
    assert len(stored(challenge).rows) == 2
    Board.objects.update(judged_version=None)
    monkeypatch.setattr(board_parts, "MOST_TASKS", 99)
    look_after_certainty()
    assert stored(challenge).why == "too_large"


def test_a_board_waits_after_a_long_computation(
    cup: Make, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = cup()
    run(challenge, "atlas", **rewards(FIRST))
    monkeypatch.setattr(certainty, "SHORT", 0.0)
    monkeypatch.setattr(certainty, "REST", 100_000)
    assert look_after_certainty() == 1
    run(challenge, "borea", **rewards(SECOND))
    assert look_after_certainty() == 0


def test_a_failure_is_logged_and_delays_only_this_board(
    cup: Make, run: Run, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    challenge = cup()
    run(challenge, "atlas", **rewards(FIRST))

    def fails(board: Board) -> bool:
        raise ValueError(board.pk)

    with monkeypatch.context() as patched:
        patched.setattr(certainty, "judge", fails)
        sweep()
    assert "could not be computed" in caplog.text
    assert look_after_certainty() == 0  # it waits


def test_scores_without_samples_have_a_lead_but_no_certainty(
    cup: Make, run: Run, tenant: Tenant
) -> None:
    challenge = create_challenge(
        tenant=tenant, user=None, fields={"name": "Sprint", "scoring_strategy": "fastest"}
    )
    run(challenge, "atlas", metrics={"succeeded": True, "elapsed_ms": 5})
    run(challenge, "borea", metrics={"succeeded": True, "elapsed_ms": 9})
    look_after_certainty()
    stored_certainty = stored(challenge)
    assert (stored_certainty.why, stored_certainty.verdict.state) == ("no_parts", "no_samples")
    assert stored_certainty.verdict.rivals[0].lead == 4.0


def test_one_entry_alone_has_no_rival(cup: Make, run: Run) -> None:
    challenge = cup()
    attempt: Attempt = run(challenge, "atlas", **rewards(FIRST))
    look_after_certainty()
    stored_certainty = stored(challenge)
    assert stored_certainty.verdict.state == "alone"
    assert stored_certainty.rows[0].attempt == attempt.pk.hex
    assert (stored_certainty.rows[0].best, stored_certainty.rows[0].worst) == (1, 1)
