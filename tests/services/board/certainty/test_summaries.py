"""What a worker stores for the pictures of a board's rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.models import Attempt, Board, BoardCertainty, Challenge
from leaderboard.rules.ranking.board_summaries import (
    FAILED,
    NOT_RUN,
    UNDEFINED,
    BoardSummary,
    Strips,
)
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.attempts.retry import withdraw_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.certainty import task_strips
from leaderboard.services.board.certainty.computing import look_after_certainty
from tests.services.conftest import Run
from tests.services.evaluation.evaluating import Make

TASKS = ["one", "two", "three", "four", "five"]


def summary(challenge: Challenge) -> BoardSummary:
    look_after_certainty()
    challenge.refresh_from_db()
    return BoardCertainty.objects.get(board=board_at(challenge)).read_summary()


def strips_of(challenge: Challenge) -> Strips:
    strips = summary(challenge).strips
    assert strips is not None
    return strips


def tasks(**rewards: Sequence[float | None]) -> dict[str, Any]:
    """Return evidence: of each task its rewards; None is a sample that failed."""
    return {
        "samples": [
            Sample(task, number, None if value is None else {"r": value})
            for task, values in rewards.items()
            for number, value in enumerate(values)
        ]
    }


def test_each_state_of_a_task_has_a_number_of_its_own(cup: Make, run: Run) -> None:
    declared = [{"name": name, "rewards": ["r"]} for name in TASKS[:4]]
    declared.append({"name": "five", "rewards": ["other"]})
    challenge = cup({"type": "mean", "reward": "r"}, tasks=declared, min_coverage=None)
    evidence = tasks(one=[1.0, 1.0], two=[1.0, 0.0, 0.0], three=[0.0], four=[None, None])
    evidence["samples"].append(Sample("five", 0, {"other": 1.0}))
    attempt = run(challenge, "atlas", **evidence)
    other = run(challenge, "borea", **tasks(one=[1.0, None]))
    strips = strips_of(challenge)
    assert strips.tasks == TASKS
    assert strips.solved[attempt.pk.hex] == [100, 33, 0, FAILED, UNDEFINED]
    assert strips.solved[other.pk.hex][:2] == [50, NOT_RUN]


def test_the_bounds_of_a_reward_are_the_full_height_of_a_strip(cup: Make, run: Run) -> None:
    challenge = cup(rewards=[{"name": "r", "min": 0, "max": 100}])
    attempt = run(challenge, "atlas", **tasks(one=[100.0], two=[25.0]))
    assert strips_of(challenge).solved == {attempt.pk.hex: [100, 25]}


def test_rewards_beyond_one_without_bounds_have_no_strips(cup: Make, run: Run) -> None:
    challenge = cup()
    run(challenge, "atlas", **tasks(one=[8.0], two=[2.0]))
    assert summary(challenge).strips is None


def test_private_tasks_are_not_stored_before_the_end(cup: Make, run: Run) -> None:
    ends = (timezone.now() + timedelta(days=1)).isoformat()
    declared = [{"name": name, "rewards": ["r"]} for name in TASKS]
    challenge = cup(tasks=declared, split={"public": TASKS[:2]}, phases=[{"closes_at": ends}])
    run(challenge, "atlas", **tasks(**{name: [1.0] for name in TASKS}))
    assert strips_of(challenge).tasks == TASKS[:2]


def test_where_small_is_best_the_lower_bound_is_full(cup: Make, run: Run) -> None:
    challenge = cup(
        {"type": "mean", "reward": "r"},
        rank_by=[{"key": "mean", "direction": "asc"}],
        rewards=[{"name": "r", "min": 0, "max": 10}],
    )
    run(challenge, "atlas", **tasks(one=[0.0], two=[2.0], three=[10.0], four=[None]))
    assert [*strips_of(challenge).solved.values()] == [[100, 80, 0, FAILED]]


def test_boards_without_samples_or_of_means_have_no_strips(cup: Make, run: Run) -> None:
    assert summary(cup(name="Empty")).strips is None
    means = cup(name="Means", counting="mean")
    run(means, "atlas", **tasks(one=[1.0]))
    assert summary(means).strips is None


def test_rows_beyond_the_limit_of_samples_have_none(
    cup: Make, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_strips, "MOST_SAMPLES", 3)
    challenge = cup()
    first = run(challenge, "atlas", **tasks(one=[1.0], two=[1.0]))
    run(challenge, "borea", **tasks(one=[0.5], two=[0.5]))
    assert [*strips_of(challenge).solved] == [first.pk.hex]


def test_a_course_is_that_of_attempts_that_were_not_withdrawn(cup: Make, run: Run) -> None:
    challenge = cup()
    run(challenge, "atlas", **tasks(one=[0.5]))
    bad = run(challenge, "atlas", **tasks(one=[1.0]))
    last = run(challenge, "atlas", **tasks(one=[0.75]))
    run(challenge, "borea", **tasks(one=[0.5]))
    atlas = last.participant_id
    assert summary(challenge).courses == {atlas: [0, 100, 50]}
    withdraw_attempt(bad, reason="a mistake")
    assert summary(challenge).courses == {atlas: [0, 100]}


def test_activity_counts_what_the_board_counts(cup: Make, run: Run) -> None:
    challenge = cup()
    old = run(challenge, "atlas", **tasks(one=[0.5]))
    Attempt.objects.filter(pk=old.pk).update(submitted_at=timezone.now() - timedelta(days=9))
    new = run(challenge, "atlas", **tasks(one=[1.0]))
    gone = run(challenge, "borea", **tasks(one=[1.0]))
    withdraw_attempt(gone, reason="a mistake")
    activity = summary(challenge).activity
    assert activity is not None
    assert (activity.attempts, activity.in_a_week) == (2, 1)
    assert activity.last == new.submitted_at
    assert BoardCertainty.objects.get().in_a_week == 1


def test_the_number_of_a_week_is_counted_anew_after_a_day(cup: Make, run: Run) -> None:
    challenge = cup()
    run(challenge, "atlas", **tasks(one=[0.5]))
    look_after_certainty()
    before = Board.objects.get().version
    long_ago = timezone.now() - timedelta(days=2)
    BoardCertainty.objects.update(computed_at=long_ago)
    look_after_certainty()
    assert Board.objects.get().version == before + 1


def test_quartiles_need_some_entries(cup: Make, run: Run) -> None:
    challenge = cup()
    for at in range(4):
        run(challenge, f"e{at}", **tasks(one=[at / 4]))
    assert summary(challenge).quartiles == {}
    run(challenge, "e4", **tasks(one=[1.0]))
    assert summary(challenge).quartiles["mean"] == (0.25, 0.5, 0.75, 5)
