from __future__ import annotations

import random

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from leaderboard.models import Bucket, Challenge, Participant, Score, Standing
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.standings import counting
from leaderboard.services.board.standings.counting import rebuild_standings, verify_standings
from leaderboard.services.board.standings.filling import fill_boards, refill_later
from leaderboard.services.scoring import single
from tests.services.conftest import Submit


@pytest.fixture
def board(sprint: Challenge, submit: Submit) -> Challenge:
    dice = random.Random(3)
    for _ in range(30):
        submit(sprint, f"p{dice.randrange(8)}", elapsed_ms=dice.randrange(5))
    single.score_waiting()
    sprint.refresh_from_db()
    return sprint


def test_verifying_finds_what_is_wrong(
    board: Challenge, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("verify_standings")
    wrong = Standing.objects.order_by("pk")[:1].get()
    changes: list[dict[str, object]] = [
        {"attempts": 99},
        {"sort_key": b"\x01"},
        {"unranked": "failed"},
        {"values": {}},
    ]
    for change in changes:
        Standing.objects.filter(pk=wrong.pk).update(**change)
        with pytest.raises(SystemExit) as ended:
            call_command("verify_standings", board.slug)
        assert ended.value.code == 1
        assert wrong.participant.handle in capsys.readouterr().out, change
        call_command("rebuild_standings", board.slug)
        assert verify_standings(board) == [], change


def test_rebuilding_writes_what_is_wrong(board: Challenge) -> None:
    """Right standings are not written, however many are wrong; wrong ones are updated."""
    rows = list(Standing.objects.order_by("pk"))
    wrong, missing, other = rows[:3]
    Standing.objects.filter(pk=wrong.pk).update(
        attempt=other.attempt,
        sort_key=b"\x01",
        pick_key=b"\x02",
        unranked="failed",
        values={"score": 7},
        cells={"score": {"total": 1}},
        attempts=70,
        reached_at=other.reached_at,
    )
    staying = {row.pk for row in rows if row != missing}
    missing.delete()
    Standing.objects.create(
        board=other.board,
        participant=Participant.objects.create(tenant=board.tenant, handle="x", slug="x"),
        attempt=other.attempt,
        sort_key=b"\x01",
        pick_key=b"\x01",
        reached_at=other.reached_at,
    )
    rebuild_standings(board)
    assert verify_standings(board) == []
    assert set(Standing.objects.values_list("pk", flat=True)) > staying


def test_verifying_finds_missing_and_superfluous_standings(board: Challenge) -> None:
    Standing.objects.order_by("pk")[:1].get().delete()
    missing, bucket = verify_standings(board)
    assert "no standing" in missing
    assert "stored 8, there are 7" in bucket
    Bucket.objects.all().delete()
    (no_buckets,) = verify_standings(board)[1:]
    assert "no buckets" in no_buckets
    rebuild_standings(board)
    assert verify_standings(board) == []


def test_verifying_leaves_out_a_board_that_is_made_again_meanwhile(
    board: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers see no row of it, and it has no buckets yet."""

    def fill_before_a_change(challenge: Challenge) -> None:
        fill_boards(challenge)
        with transaction.atomic():
            refill_later([board_at(challenge).phase_id])

    monkeypatch.setattr(counting, "fill_boards", fill_before_a_change)
    Standing.objects.all()[0].delete()
    assert verify_standings(board) == []
    monkeypatch.setattr(counting, "fill_boards", fill_boards)
    assert verify_standings(board) == []


def test_the_database_refuses_inconsistent_standings(board: Challenge) -> None:
    attempt = board.attempts.earliest("submitted_at")
    other = board.attempts.latest("submitted_at")
    Score.objects.filter(attempt=other).delete()
    wrong = [
        Score(attempt=attempt, config=board.shown),
        *(Score(attempt=other, config=board.shown, value=value) for value in (-1, 1e400)),
        Score(attempt=other, config=board.shown, value=1, error_code="timeout"),
        Standing(
            board=board_at(board),
            participant=Standing.objects.order_by("pk")[:1].get().participant,
            attempt=attempt,
            sort_key=b"\x01",
            pick_key=b"\x01",
            reached_at=attempt.submitted_at,
        ),
    ]
    for row in wrong:
        with pytest.raises(IntegrityError), transaction.atomic():
            row.save(force_insert=True)
