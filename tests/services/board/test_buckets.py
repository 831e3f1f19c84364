"""Ranks and pages read by buckets equal those found by counting and sorting all standings."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest

from leaderboard.models import (
    Attempt,
    Board,
    Bucket,
    Challenge,
    Participant,
    ScoringConfig,
    Standing,
    Tenant,
    User,
)
from leaderboard.rules.ranking.standing_draft import StandingDraft
from leaderboard.services.attempts.retry import restore_attempt, withdraw_attempt
from leaderboard.services.board import buckets
from leaderboard.services.board.boards import board_at, boards_to_change
from leaderboard.services.board.reading import ranking, ranks, rows, totals
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.standings import counting as standings
from leaderboard.services.board.standings.counting import rebuild_standings, verify_standings
from leaderboard.services.board.standings.derivation import derived
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.scoring import single
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from tests.databases import rows_taken_back
from tests.notifications import notifications
from tests.people import tenant
from tests.services.attempts.crowds import WAYS, count, crowd, plain_line
from tests.services.conftest import Submit
from tests.services.threads import at_once

__all__ = ["notifications", "tenant"]


@pytest.fixture(autouse=True)
def _small_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "SIZE", 4)
    monkeypatch.setattr(buckets, "MOST", 8)
    monkeypatch.setattr(ranks, "KEYS_PER_STATEMENT", 7)
    monkeypatch.setattr(ranking, "ROWS_PER_READ", 9)


@pytest.fixture
def challenge(tenant: Tenant) -> Challenge:
    return create_challenge(tenant=tenant, user=None, fields={"name": "Crowd", **WAYS["fastest"]})


def plain_rows(challenge: Challenge) -> list[tuple[int | None, bool, int]]:
    """Return rank, tie and participant of each row, found by counting."""
    standings = sorted(
        board_at(challenge).standings.all(), key=lambda standing: bytes(standing.sort_key)
    )
    keys = [standing.rank_key for standing in standings]
    return [
        (None, False, standing.participant_id)
        if standing.unranked
        else (
            1 + sum(key < standing.rank_key for key in keys),
            keys.count(standing.rank_key) > 1,
            standing.participant_id,
        )
        for standing in standings
    ]


def sizes_of(config: ScoringConfig) -> Any:
    return Bucket.objects.filter(board__config=config).values_list("n", flat=True)


def ranks_of(board_rows: list[BoardRow]) -> list[tuple[int | None, bool, int]]:
    return [(row.rank, row.tied, row.participant.pk) for row in board_rows]


def check_reading(challenge: Challenge) -> None:
    """Check that every way of reading the board gives what counting gives."""
    expected = plain_rows(challenge)
    for limit in (1, 7, 50):
        pages = len(expected) // limit + 2
        numbered = [
            ranking.page_number(board_at(challenge), at + 1, limit=limit) for at in range(pages)
        ]
        assert ranks_of([row for page in numbered for row in page.rows]) == expected
        rows_so_far: list[BoardRow] = []
        page = ranking.page_after(board_at(challenge), limit=limit)
        while page.next_cursor:
            assert page.start == len(rows_so_far)
            rows_so_far += page.rows
            page = ranking.page_after(board_at(challenge), cursor=page.next_cursor, limit=limit)
        assert ranks_of(rows_so_far + page.rows) == expected
    everyone = list(ranking.every_row(board_at(challenge)))
    assert ranks_of(everyone) == expected
    board = board_at(challenge)
    read = rows.read_lines(list(Standing.objects.filter(board=board).values_list("pk", flat=True)))
    assert {
        participant: place
        for *place, participant in ranks_of(
            rows.apart(board.pk, read, ranks.bucket_bounds(board.pk))
        )
    } == {participant: place for *place, participant in expected}
    for at, row in enumerate(everyone):
        own = ranking.standing_of(
            board_at(challenge), Participant.objects.get(pk=row.participant.pk)
        )
        assert own == row
        above, below = ranking.around(board_at(challenge), row, distance=2)
        assert ranks_of(above) == expected[max(at - 2, 0) : at]
        assert ranks_of(below) == expected[at + 1 : at + 3]
    ranked = sum(rank is not None for rank, _, _ in expected)
    challenge.board_version += 1
    assert totals.totals_of(board_at(challenge)) == totals.Totals(len(expected), ranked)


@pytest.mark.parametrize(
    ("way", "per_statement"), [("first", 1), ("latest", 5), ("custom", 1000), ("coverage", 5)]
)
def test_buckets_are_right_for_any_order_of_scores(
    tenant: Tenant, way: str, per_statement: int
) -> None:
    fields = {"name": "Crowd", **WAYS[way]}
    challenge = create_challenge(tenant=tenant, user=None, fields=fields)
    crowd(challenge, participants=40, attempts=100, seed=per_statement)
    config = challenge.shown
    scores = list(config.scores.select_related("attempt"))
    random.Random(4).shuffle(scores)
    for start in range(0, len(scores), per_statement):
        piece = scores[start : start + per_statement]
        count(board_at(challenge), [plain_line(config, score) for score in piece])
    assert verify_standings(challenge) == []
    assert sizes_of(config).count() > 5
    assert max(sizes_of(config)) <= buckets.MOST
    check_reading(challenge)
    rebuild_standings(challenge)
    assert verify_standings(challenge) == []
    check_reading(challenge)


def test_a_board_is_read_without_buckets_and_with_one_key_per_statement(
    challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowd(challenge, participants=20, attempts=40, seed=1)
    rebuild_standings(challenge)
    with monkeypatch.context() as patched:
        patched.setattr(ranks, "KEYS_PER_STATEMENT", 1)
        check_reading(challenge)
    Bucket.objects.all().delete()
    check_reading(challenge)


def test_an_empty_board_can_be_read(challenge: Challenge) -> None:
    assert list(sizes_of(challenge.shown)) == [0]
    check_reading(challenge)
    assert ranking.page_number(board_at(challenge), 3).rows == []


def test_buckets_are_right_while_attempts_come_and_go(challenge: Challenge, submit: Submit) -> None:
    dice = random.Random(2)
    tried = [
        submit(challenge, f"p{dice.randrange(25)}", elapsed_ms=dice.randrange(6)) for _ in range(60)
    ]
    single.score_waiting()
    for attempt in dice.sample(tried, 12):
        withdraw_attempt(attempt, reason="a mistake")
        assert verify_standings(challenge) == []
        if dice.random() < 0.5:
            restore_attempt(attempt)
    assert verify_standings(challenge) == []
    challenge.refresh_from_db()
    check_reading(challenge)


def test_a_rescore_makes_buckets_when_its_board_is_shown(
    challenge: Challenge, submit: Submit
) -> None:
    for at in range(30):
        submit(challenge, f"p{at}", elapsed_ms=at % 7, tokens_total=at % 5)
    single.score_waiting()
    old = challenge.shown
    change_challenge(challenge, user=None, fields={"scoring_strategy": "fewest_tokens"})
    config, _ = start_rescore(Challenge.objects.get())
    assert not sizes_of(config).exists()
    work_on(config.pk)
    challenge = Challenge.objects.get()
    assert challenge.shown == config
    assert verify_standings(challenge) == []
    check_reading(challenge)
    assert not sizes_of(old).exists()
    submit(challenge, "p3", tokens_total=0)
    single.score_waiting()
    assert verify_standings(challenge) == []


def score(attempts: list[Attempt]) -> None:
    for attempt in attempts:
        single.score_attempt(attempt.pk)


def withdraw(attempts: list[Attempt]) -> None:
    for attempt in attempts:
        withdraw_attempt(attempt, reason="a mistake")


def rebuild(challenges: list[Challenge]) -> None:
    for challenge in challenges:
        rebuild_standings(challenge)


@pytest.mark.django_db(transaction=True)
def test_buckets_are_right_after_concurrent_writes(
    challenge: Challenge, submit: Submit, alice: User
) -> None:
    """At the same time, workers score, an organiser withdraws, and standings are rebuilt."""
    dice = random.Random(3)
    first = [submit(challenge, f"p{at % 11}", elapsed_ms=dice.randrange(9)) for at in range(12)]
    single.score_waiting()
    more = [submit(challenge, f"p{at % 23}", elapsed_ms=dice.randrange(9)) for at in range(32)]
    works = [partial(score, more[at::3]) for at in range(3)]
    works += [partial(withdraw, first), partial(rebuild, [challenge] * 3)]
    at_once(works)
    assert verify_standings(challenge) == []
    challenge.refresh_from_db()
    check_reading(challenge)


@pytest.mark.django_db(transaction=True)
def test_verifying_reports_no_score_that_is_stored_meanwhile(
    challenge: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A score that is stored while standings are derived is not reported as a difference."""
    submit(challenge, "p1", elapsed_ms=3)
    single.score_waiting()
    late = submit(challenge, "p1", elapsed_ms=2)

    def derived_before_a_score(board: Board) -> list[StandingDraft]:
        lines = derived(board)
        at_once([partial(score, [late])])
        return lines

    monkeypatch.setattr(standings, "derived", derived_before_a_score)
    assert verify_standings(challenge) == []
    late.refresh_from_db()
    assert late.status == "scored"


def test_a_failed_transaction_counts_nothing(challenge: Challenge, submit: Submit) -> None:
    submit(challenge, "p1", elapsed_ms=3)
    single.score_waiting()
    key = bytes(Standing.objects.get().sort_key)
    with rows_taken_back():
        assert boards_to_change(challenge.shown)
        Standing.objects.all().delete()
        buckets.move(board_at(challenge).pk, {key: -1})
    assert verify_standings(challenge) == []
