"""Each phase has a board of its own, which counts the attempts of the phase and no others."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from leaderboard.models import Attempt, Board, Bucket, Challenge, Phase, Standing, Tenant
from leaderboard.services.attempts.retry import restore_attempt, withdraw_attempt
from leaderboard.services.board.boards import add_boards, board_at, board_of, shown_boards
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.standings import filling
from leaderboard.services.board.standings.counting import rebuild_standings, verify_standings
from leaderboard.services.board.standings.filling import fill_boards
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.scoring import sweeper
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from leaderboard.services.scoring.single import score_waiting
from leaderboard.services.scoring.sweeper import sweep
from tests.helpers.attempts import score_all
from tests.services.conftest import Submit

NOW = timezone.now()
PHASES = [
    {"slug": "warm-up", "opens_at": "2026-01-01T00:00Z", "closes_at": "2126-01-01T00:00Z"},
    {"slug": "final", "opens_at": "2126-01-01T00:00Z"},
]
Put = Callable[[str, str, int], Attempt]


@pytest.fixture
def cup(tenant: Tenant) -> Challenge:
    fields = {"name": "Cup", "scoring_strategy": "fastest", "phases": PHASES}
    return create_challenge(tenant=tenant, user=None, fields=fields)


@pytest.fixture
def put(cup: Challenge, submit: Submit) -> Put:
    """Submit to a phase: `put("final", "atlas", elapsed_ms)`."""

    def attempted(phase: str, participant: str, elapsed_ms: int) -> Attempt:
        attempt = submit(cup, participant, elapsed_ms=elapsed_ms)
        Attempt.objects.filter(pk=attempt.pk).update(phase=cup.phases.get(slug=phase))
        return attempt

    return attempted


def ranks(challenge: Challenge, phase: str) -> dict[str, int | None]:
    board = board_of(shown_boards(challenge), phase)
    assert board
    return {row.participant.handle: row.rank for row in ranking.page_after(board).rows}


def test_each_phase_ranks_its_own_attempts(cup: Challenge, put: Put) -> None:
    put("warm-up", "atlas", 100)
    put("warm-up", "bolt", 200)
    put("final", "bolt", 50)
    put("final", "comet", 60)
    put("final", "atlas", 500)
    score_all()
    assert ranks(cup, "warm-up") == {"atlas": 1, "bolt": 2}
    assert ranks(cup, "final") == {"bolt": 1, "comet": 2, "atlas": 3}
    assert verify_standings(cup) == []
    assert rebuild_standings(cup) == 5
    assert ranks(cup, "final") == {"bolt": 1, "comet": 2, "atlas": 3}


def test_the_current_board_is_that_of_the_phase_that_the_challenge_shows(cup: Challenge) -> None:
    cup.phases.update(face=True)
    before, during, after = NOW - timedelta(days=365 * 5), NOW, NOW + timedelta(days=365 * 200)
    slugs = [board_at(cup, moment).phase.slug for moment in (before, during, after)]
    assert slugs == ["warm-up", "warm-up", "final"]


def test_a_score_changes_only_the_board_of_its_phase(cup: Challenge, put: Put) -> None:
    before = {board.phase.slug: board.version for board in shown_boards(cup)}
    put("final", "atlas", 1)
    score_waiting()
    after = {board.phase.slug: board.version for board in shown_boards(cup)}
    assert after == {"warm-up": before["warm-up"], "final": before["final"] + 1}


def test_withdrawn_and_restored_attempts_count_on_their_board(cup: Challenge, put: Put) -> None:
    put("warm-up", "atlas", 100)
    first = put("final", "atlas", 50)
    put("final", "bolt", 60)
    score_waiting()
    withdraw_attempt(first, reason="a mistake")
    assert ranks(cup, "final") == {"bolt": 1, "atlas": None}
    assert ranks(cup, "warm-up") == {"atlas": 1}
    restore_attempt(first)
    assert ranks(cup, "final") == {"atlas": 1, "bolt": 2}
    assert verify_standings(cup) == []


def test_a_rescore_builds_the_boards_of_all_phases(cup: Challenge, put: Put) -> None:
    put("warm-up", "atlas", 100)
    put("final", "bolt", 50)
    score_waiting()
    config, _ = start_rescore(change_challenge(cup, user=None, fields={"counting": "latest"}))
    put("final", "comet", 40)
    work_on(config.pk)
    score_waiting()
    cup.refresh_from_db()
    assert cup.shown == config
    assert ranks(cup, "warm-up") == {"atlas": 1}
    assert ranks(cup, "final") == {"comet": 1, "bolt": 2}
    assert verify_standings(cup) == []


def test_a_new_phase_has_an_empty_board_and_a_removed_one_none(cup: Challenge) -> None:
    phases = [*PHASES[:1], {**PHASES[1], "closes_at": "2127-01-01T00:00Z"}]
    change_challenge(
        cup,
        user=None,
        fields={"phases": [*phases, {"slug": "extra", "opens_at": "2127-01-01T00:00Z"}]},
    )
    assert [board.phase.slug for board in shown_boards(cup)] == ["warm-up", "final", "extra"]
    assert ranks(cup, "extra") == {}
    assert verify_standings(cup) == []
    change_challenge(cup, user=None, fields={"phases": PHASES[:1]})
    assert [board.phase.slug for board in shown_boards(cup)] == ["warm-up"]


def test_a_board_that_is_added_later_is_filled_while_others_score(
    cup: Challenge, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two pieces, participants of both sides submit again."""
    monkeypatch.setattr(filling, "PARTICIPANTS_AT_ONCE", 2)
    dice = random.Random(7)
    for number in range(12):
        put("final", f"p{dice.randrange(5)}", number)
    score_waiting()
    final = cup.phases.get(slug="final")
    Board.objects.filter(phase=final).delete()
    (added,) = add_boards(cup)
    assert not added.is_complete
    assert ranks(cup, "final") == {}
    fill_piece = filling._fill_piece

    def filled_beside_others(*args: object) -> bool:
        more = fill_piece(*args)  # type: ignore[arg-type]
        put("final", f"p{dice.randrange(8)}", dice.randrange(30))
        score_waiting()
        return more

    monkeypatch.setattr(filling, "_fill_piece", filled_beside_others)
    assert fill_boards(cup) == 1
    assert fill_boards(cup) == 0
    assert len(ranks(cup, "final")) >= 5
    assert verify_standings(cup) == []


def test_a_board_that_cannot_be_filled_stops_neither_other_boards_nor_the_sweeper(
    cup: Challenge, put: Put, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    put("warm-up", "atlas", 5)
    put("final", "boreas", 5)
    score_waiting()
    Board.objects.all().delete()
    broken = add_boards(cup)[0]
    fill_piece, begun = filling._fill_piece, []

    def filled(board: int, *rest: object) -> bool:
        if board == broken.pk:
            raise OverflowError("intermediate overflow in fsum")
        return fill_piece(board, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(filling, "_fill_piece", filled)
    monkeypatch.setattr(sweeper, "begin_finals", lambda: begun.append(1))
    sweep()
    assert begun, "the sweep goes on"
    assert (ranks(cup, "warm-up"), ranks(cup, "final")) == ({}, {"boreas": 1})
    (message,) = (record.getMessage() for record in caplog.records if record.levelname == "ERROR")
    assert "fill_boards" in message
    with pytest.raises(OverflowError):
        fill_boards(cup)


def test_the_sweeper_fills_the_board_of_one_that_was_deleted(cup: Challenge, put: Put) -> None:
    put("final", "atlas", 5)
    score_waiting()
    Board.objects.filter(phase__slug="final").delete()
    assert not Standing.objects.exists()
    assert Bucket.objects.count() == 1
    add_boards(cup)
    sweep()
    assert ranks(cup, "final") == {"atlas": 1}


def test_an_attempt_without_a_phase_counts_in_the_first_one(cup: Challenge, put: Put) -> None:
    """A process of a release before phases gives its attempts none."""
    attempt = put("final", "atlas", 5)
    Attempt.objects.filter(pk=attempt.pk).update(phase=None)
    score_waiting()
    assert ranks(cup, "warm-up") == {"atlas": 1}
    assert verify_standings(cup) == []


def test_a_phase_without_boards_gets_them_with_its_first_score(cup: Challenge, put: Put) -> None:
    later = datetime(2200, 1, 1, tzinfo=UTC)
    Phase.objects.create(challenge=cup, slug="by-hand", position=5, opens_at=later)
    put("by-hand", "atlas", 5)
    score_waiting()
    sweep()
    assert ranks(cup, "by-hand") == {"atlas": 1}
    assert verify_standings(cup) == []


# Freezes.


def frozen_board(challenge: Challenge) -> Board:
    return Board.objects.select_related("phase", "config__challenge").get(until__isnull=False)


def names(board: Board) -> list[str]:
    return [row.participant.handle for row in ranking.page_after(board).rows]


def freeze(challenge: Challenge, moment: str | None) -> None:
    phases = [{**PHASES[0], "freezes_at": moment}, PHASES[1]]
    change_challenge(challenge, user=None, fields={"phases": phases})
    fill_boards(challenge)


def test_a_freeze_keeps_a_board_of_the_attempts_before_it(cup: Challenge, put: Put) -> None:
    early, late = put("warm-up", "atlas", 100), put("warm-up", "bolt", 50)
    Attempt.objects.filter(pk=early.pk).update(submitted_at="2026-02-01T00:00Z")
    score_waiting()
    freeze(cup, "2026-03-01T00:00Z")
    assert names(frozen_board(cup)) == ["atlas"]
    assert list(ranks(cup, "warm-up")) == ["bolt", "atlas"]
    assert verify_standings(cup) == []
    freeze(cup, "2126-01-01T00:00Z")
    assert names(frozen_board(cup)) == ["bolt", "atlas"]
    put("warm-up", "comet", 10)
    score_waiting()
    assert names(frozen_board(cup)) == ["comet", "bolt", "atlas"]
    withdraw_attempt(late, reason="a mistake")
    assert names(frozen_board(cup)) == ["comet", "atlas", "bolt"]
    assert verify_standings(cup) == []
    freeze(cup, None)
    assert not Board.objects.exclude(until=None).exists()


def test_a_late_attempt_leaves_the_frozen_board_and_its_version_alone(
    cup: Challenge, put: Put
) -> None:
    """The version is in ETags, which would tell that something happens behind the freeze."""
    freeze(cup, "2026-03-01T00:00Z")
    before = frozen_board(cup)
    put("warm-up", "atlas", 100)
    score_waiting()
    after = frozen_board(cup)
    assert (after.version, after.changed_at) == (before.version, before.changed_at)
    assert names(after) == []
    assert ranks(cup, "warm-up") == {"atlas": 1}


def test_the_version_does_not_go_back_at_a_freeze(cup: Challenge, put: Put) -> None:
    """Neither when the freeze is set or moved, nor when its moment comes, nor when it ends."""

    def version(board: Board) -> int:
        return Challenge.objects.get(pk=cup.pk).board_version + board.version

    for elapsed_ms in (9, 8, 7):
        put("warm-up", "atlas", elapsed_ms)
        score_waiting()
    before = version(board_at(cup))
    freeze(cup, "2125-01-01T00:00Z")
    assert version(frozen_board(cup)) > before
    put("warm-up", "atlas", 6)
    score_waiting()
    assert version(frozen_board(cup)) >= version(board_at(cup))
    before = version(frozen_board(cup))
    freeze(cup, "2124-01-01T00:00Z")
    assert version(frozen_board(cup)) > before
    assert version(board_at(cup)) >= version(frozen_board(cup))  # also when the freeze ends


def test_a_moved_freeze_does_not_count_what_is_behind_it(cup: Challenge, put: Put) -> None:
    freeze(cup, "2026-03-01T00:00Z")
    for elapsed_ms in (9, 8, 7):
        put("warm-up", "atlas", elapsed_ms)
        score_waiting()
    before = frozen_board(cup).version
    freeze(cup, "2026-02-01T00:00Z")
    assert frozen_board(cup).version == before + 1  # it has been filled


def test_a_better_attempt_after_the_freeze_does_not_count_in_it(cup: Challenge, put: Put) -> None:
    early = put("warm-up", "atlas", 100)
    Attempt.objects.filter(pk=early.pk).update(submitted_at="2026-02-28T23:59:59.999999Z")
    edge = put("warm-up", "atlas", 50)
    Attempt.objects.filter(pk=edge.pk).update(submitted_at="2026-03-01T00:00Z")
    freeze(cup, "2026-03-01T00:00Z")
    score_waiting()
    (row,) = ranking.page_after(frozen_board(cup)).rows
    assert (row.attempt_id, row.attempts) == (early.pk, 1)
    (live,) = ranking.page_after(board_at(cup)).rows
    assert (live.attempt_id, live.attempts) == (edge.pk, 2)
    start_rescore(change_challenge(cup, user=None, fields={"counting": "latest"}))
    cup.refresh_from_db()
    work_on(cup.newest.pk)
    cup.refresh_from_db()
    (row,) = ranking.page_after(Board.objects.exclude(until=None).get(config=cup.shown)).rows
    assert row.attempt_id == early.pk
    assert verify_standings(cup) == []
