"""Which attempts of a participant stand on the board: best, latest, first, chosen, mean, all."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.models import Attempt, Board, Challenge, Score, Standing, Tenant
from leaderboard.services.attempts.retry import restore_attempt, withdraw_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.standings.counting import rebuild_standings, verify_standings
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from tests.services.attempts.crowds import ENTRYPOINT, count, crowd, plain_line
from tests.services.conftest import Rows, Run

pytestmark = pytest.mark.django_db

MODES = ["best", "latest", "first", "chosen", "mean", "all"]
COUNTED = 3
Expected = list[tuple[str, str | None, float | None]]
"""Rows of a board: participant, attempt (None if any will do) and score."""


def made(tenant: Tenant, counting: str, **phase: Any) -> Challenge:
    fields = {
        "name": "Modes",
        "scoring_strategy": "custom",
        "scoring_entrypoint": ENTRYPOINT,
        "phases": [{"counting": counting, "counted": COUNTED, **phase}],
    }
    return create_challenge(tenant=tenant, user=None, fields=fields)


@pytest.mark.parametrize("values", [(1.5e308, 1.6e308), (3.1e23, 2.9e23), (5e16, 1e16 + 8)])
def test_large_values_have_a_mean(
    tenant: Tenant, run: Run, rows: Rows, values: Sequence[float]
) -> None:
    """Also if the sum is no float, and though PostgreSQL stores them with all digits."""
    fields: dict[str, Any] = {
        "name": "Large",
        "scoring_strategy": "metric",
        "rank_by": [{"key": "flops"}],
        "values": ["flops"],
        "phases": [{"counting": "mean", "counted": COUNTED}],
    }
    challenge = create_challenge(tenant=tenant, user=None, fields=fields)
    for value in values:
        run(challenge, "atlas", values={"flops": value})
    (row,) = rows(challenge).values()
    assert row.values["flops"] == pytest.approx(values[0] / 2 + values[1] / 2)
    assert verify_standings(challenge) == []
    standing = Standing.objects.get()
    rebuild_standings(challenge)
    assert [(row.pk, type(row.values["flops"])) for row in Standing.objects.all()] == [
        (standing.pk, float)
    ]
    reported = Attempt.objects.order_by("submitted_at").values_list("values", flat=True)
    assert [repr(entry["flops"]) for entry in reported] == [*map(repr, values)]


def choose_some(challenge: Challenge, seed: int) -> None:
    dice = random.Random(seed)
    for attempt in Attempt.objects.filter(challenge=challenge).order_by("id"):
        if dice.random() < 0.2:
            Attempt.objects.filter(pk=attempt.pk).update(chosen_at=timezone.now())


def tries(challenge: Challenge) -> dict[str, list[Score]]:
    """The scores of each participant's attempts that are not withdrawn, in order of time."""
    by_handle: dict[str, list[Score]] = {}
    scores = Score.objects.filter(config=challenge.shown).select_related("attempt__participant")
    for score in scores.order_by("attempt__submitted_at", "attempt"):
        if score.attempt.withdrawn_at is None:
            by_handle.setdefault(score.attempt.participant.handle, []).append(score)
    return by_handle


def best(scores: Sequence[Score]) -> Score | None:
    """The highest score; among equal ones, the first."""
    ranked = [score for score in scores if not score.error_code and score.value is not None]
    return max(ranked, key=lambda score: score.value or 0.0, default=None)


def expected(counting: str, scores: Sequence[Score]) -> Sequence[tuple[str | None, float | None]]:
    """Attempt and score of a participant's ranked rows, worked out from the scores alone."""
    ranked = [score for score in scores if not score.error_code and score.value is not None]
    match counting:
        case "latest" | "first":
            counted = scores[-1 if counting == "latest" else 0]
            return [(str(counted.attempt_id), counted.value)] if counted in ranked else []
        case "mean":
            last = ranked[-COUNTED:]
            return (
                [(str(last[-1].attempt_id), sum(score.value or 0.0 for score in last) / len(last))]
                if last
                else []
            )
        case "all":
            return [(str(score.attempt_id), score.value) for score in ranked]
    chosen = [score for score in scores if score.attempt.chosen_at] if counting == "chosen" else []
    best_score = best(chosen) or best(scores)
    return [(str(best_score.attempt_id), best_score.value)] if best_score else []


def rows(board: Board) -> list[tuple[str, str, float]]:
    board_rows = list(ranking.every_row(board))
    return [
        (row.participant.handle, str(row.attempt_id), round(row.values["score"], 9))
        for row in board_rows
        if row.rank is not None
    ]


def counted_one_by_one(challenge: Challenge, seed: int) -> None:
    """Count the scores into the board in a random order, as workers do."""
    board = board_at(challenge)
    scores = list(Score.objects.filter(config=challenge.shown).select_related("attempt"))
    Score.objects.filter(config=challenge.shown).delete()
    random.Random(seed).shuffle(scores)
    for score in scores:
        score.save(force_insert=True)
        count(board, [plain_line(challenge.shown, score, board.counting)])


def wanted(challenge: Challenge, counting: str) -> list[tuple[str, str | None, float]]:
    return sorted(
        (participant, attempt, round(value or 0.0, 9))
        for participant, scores in tries(challenge).items()
        for attempt, value in expected(counting, scores)
    )


@pytest.mark.parametrize("counting", MODES)
def test_the_board_has_the_rows_that_count(tenant: Tenant, counting: str) -> None:
    challenge = made(tenant, counting)
    crowd(challenge, participants=8, attempts=60, seed=1)
    choose_some(challenge, 1)
    counted_one_by_one(challenge, 1)
    assert verify_standings(challenge) == []
    before = rows(board_at(challenge))
    assert sorted(before) == wanted(challenge, counting)
    values = [value for _, _, value in before]
    assert values == sorted(values, reverse=True)

    attempt = Attempt.objects.get(pk=before[0][1])
    withdraw_attempt(attempt, reason="a mistake")
    assert verify_standings(challenge) == []
    assert str(attempt.pk) not in {pk for _, pk, _ in rows(board_at(challenge))}
    restore_attempt(attempt)
    assert verify_standings(challenge) == []
    assert rows(board_at(challenge)) == before

    stored = Standing.objects.count()
    assert rebuild_standings(challenge) == stored
    assert sorted(rows(board_at(challenge))) == wanted(challenge, counting)


@pytest.mark.django_db(transaction=True)
def test_a_phase_that_counts_others_makes_its_board_again(tenant: Tenant) -> None:
    challenge = made(tenant, MODES[-1])
    crowd(challenge, participants=6, attempts=40, seed=5)
    choose_some(challenge, 5)
    for counting in MODES:
        phases = [{"counting": counting, "counted": COUNTED}]
        challenge = change_challenge(challenge, user=None, fields={"phases": phases})
        board = board_at(challenge)
        assert (board.counting, board.is_complete) == (counting, True)
        assert verify_standings(challenge) == []
        assert sorted(rows(board)) == wanted(challenge, counting), counting


@pytest.mark.parametrize("counting", ["chosen", "mean", "all"])
def test_a_rescore_counts_the_same_way(tenant: Tenant, counting: str) -> None:
    """The board of the new config is counted by many small batches before it is shown."""
    challenge = made(tenant, counting)
    crowd(challenge, participants=4, attempts=25, seed=6)
    choose_some(challenge, 6)
    counted_one_by_one(challenge, 6)
    config, _ = start_rescore(change_challenge(challenge, user=None, fields={"timeout_ms": 4000}))
    work_on(config.pk)
    challenge.refresh_from_db()
    assert challenge.shown_config_id == config.pk
    assert verify_standings(Challenge.objects.get(pk=challenge.pk)) == []


def test_the_mean_of_a_metric_has_no_interval(tenant: Tenant) -> None:
    fields = {
        "name": "Means",
        "scoring_strategy": "metric",
        "metrics": ["mean"],
        "rank_by": [{"key": "mean", "direction": "desc"}],
        "counting": "mean",
    }
    challenge = create_challenge(tenant=tenant, user=None, fields=fields)
    crowd(challenge, participants=5, attempts=40, seed=8)
    counted_one_by_one(challenge, 8)
    assert verify_standings(challenge) == []
    ranked_rows = [row for row in ranking.every_row(board_at(challenge)) if row.rank]
    assert ranked_rows
    assert not any(
        "interval" in row.cells["mean"] for row in ranked_rows if (row.attempts or 0) > 3
    )


def test_a_board_of_all_attempts_is_read_everywhere(tenant: Tenant) -> None:
    challenge = made(tenant, "all")
    crowd(challenge, participants=5, attempts=60, seed=9)
    counted_one_by_one(challenge, 9)
    board = board_at(challenge)
    all_rows = list(ranking.every_row(board))
    first = all_rows[0].participant
    of_first = [row for row in all_rows if row.participant.pk == first.pk]
    assert len(of_first) > 3
    assert ranking.search(board, first.handle).rows == of_first
    assert ranking.page_from(board, 10, limit=5).rows == all_rows[10:15]
    by_solved = ranking.sorted_by(board, "solved", descending=True, limit=500).rows
    assert sorted(row.sort_key for row in by_solved) == [row.sort_key for row in all_rows]


def test_scoring_may_count_in_each_way_too(tenant: Tenant) -> None:
    """A phase without a rule of its own counts as the scoring says."""
    fields = {"name": "First", "scoring_strategy": "fastest", "counting": "first"}
    challenge = create_challenge(tenant=tenant, user=None, fields=fields)
    assert board_at(challenge).counting == "first"
