"""Rows out of the ranking stand in their places without a rank, and change no rank of others."""

from __future__ import annotations

import random

import pytest
from django.test import TestCase
from pytest_django import DjangoAssertNumQueries

from leaderboard.models import AuditEntry, Board, Challenge, Standing, User
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading.row_filter import RowsAsked
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.reading.totals import totals_of
from leaderboard.services.board.reading.unranked_rows import with_rows_out_of_ranking
from leaderboard.services.board.standings.counting import rebuild_standings, verify_standings
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.participants.disqualification import disqualify, reinstate
from leaderboard.services.competition.participants.row_kinds import set_row_kind
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.board import VisibleBoard, visible_board
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from leaderboard.services.scoring.single import score_waiting
from tests.people import give_each_an_account
from tests.services.competition.relays import registration_named
from tests.services.conftest import Create, Submit
from tests.services.refusals import check_refusals

pytestmark = pytest.mark.django_db

PLAYERS = (("atlas", 100), ("bolt", 50), ("comet", 200), ("dart", 70), ("echo", 150))


@pytest.fixture
def crowd(sprint: Challenge, submit: Submit) -> Challenge:
    for who, elapsed in PLAYERS:
        submit(sprint, who, elapsed_ms=elapsed)
    score_waiting()
    return sprint


def as_kind(challenge: Challenge, who: str, kind: str, by: User | None = None) -> None:
    """Set the kind, and fill the board of such rows, as after the commit."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        set_row_kind(registration_named(challenge, who), {"row": kind}, by=by)


def board_of(challenge: Challenge) -> VisibleBoard:
    stored = Challenge.objects.select_related("shown_config").get(pk=challenge.pk)
    return visible_board(board_at(stored), Access(challenge.pk))


def rows(challenge: Challenge) -> list[tuple[str, int | None, str]]:
    return [
        (row.participant.handle, row.rank, row.unranked) for row in board_of(challenge).every_row()
    ]


def test_rows_out_of_the_ranking_are_read_by_one_statement(
    crowd: Challenge, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    as_kind(crowd, "dart", "baseline", alice)
    as_kind(crowd, "echo", "human", alice)
    board = board_of(crowd)
    with django_assert_num_queries(1):
        rows = board.out_of_ranking()
    kinds = [(row.participant.handle, row.unranked) for row in rows]
    assert kinds == [("dart", "baseline"), ("echo", "human")]
    assert board.out_of_ranking(RowsAsked(kinds=("human",))) == rows[1:]


def test_a_baseline_stands_in_its_place_and_comes_back(crowd: Challenge, alice: User) -> None:
    version = board_at(crowd).version
    as_kind(crowd, "dart", "baseline", alice)
    assert rows(crowd) == [
        ("bolt", 1, ""),
        ("dart", None, "baseline"),
        ("atlas", 2, ""),
        ("echo", 3, ""),
        ("comet", 4, ""),
    ]
    assert board_of(crowd).board.version > version
    assert totals_of(board_at(crowd)).ranked == 4
    assert verify_standings(crowd) == []
    rebuild_standings(crowd)
    assert rows(crowd)[1] == ("dart", None, "baseline")
    as_kind(crowd, "dart", "baseline", alice)  # Nothing changes.
    entry = AuditEntry.objects.get(kind=AuditEntry.Kind.REGISTRATION)
    assert (entry.before, entry.after) == ({"row": "ranked"}, {"row": "baseline"})
    as_kind(crowd, "dart", "ranked", alice)
    assert [rank for _, rank, _ in rows(crowd)] == [1, 2, 3, 4, 5]
    assert not Board.objects.filter(is_out_of_ranking=True).exists()
    assert verify_standings(crowd) == []


def test_what_is_scored_later_is_out_of_the_ranking_too(crowd: Challenge, submit: Submit) -> None:
    as_kind(crowd, "comet", "human")
    submit(crowd, "comet", elapsed_ms=1)
    submit(crowd, "bolt", elapsed_ms=40)
    score_waiting()
    assert rows(crowd)[:2] == [("comet", None, "human"), ("bolt", 1, "")]
    assert verify_standings(crowd) == []
    config, _ = start_rescore(change_challenge(crowd, user=None, fields={"counting": "latest"}))
    work_on(config.pk)
    assert rows(crowd)[:2] == [("comet", None, "human"), ("bolt", 1, "")]
    assert verify_standings(Challenge.objects.get(pk=crowd.pk)) == []


def test_a_disqualified_baseline_is_disqualified(crowd: Challenge, alice: User) -> None:
    give_each_an_account(crowd)
    as_kind(crowd, "bolt", "baseline")
    disqualify(registration_named(crowd, "bolt"), {"reason": "It read the answers."}, by=alice)
    assert rows(crowd)[-1] == ("bolt", None, "disqualified")
    assert verify_standings(crowd) == []
    reinstate(registration_named(crowd, "bolt"), by=alice)
    assert rows(crowd)[0] == ("bolt", None, "baseline")
    assert verify_standings(crowd) == []


def test_a_row_that_cannot_rank_says_why(crowd: Challenge, submit: Submit) -> None:
    submit(crowd, "fox", succeeded=False)
    score_waiting()
    as_kind(crowd, "fox", "baseline")
    assert rows(crowd)[-1] == ("fox", None, "not_succeeded")


def test_each_phase_and_freeze_has_its_rows(create: Create, submit: Submit) -> None:
    phases = [
        {"slug": "past", "closes_at": "2026-01-01T00:00:00Z"},
        {
            "slug": "now",
            "opens_at": "2026-01-01T00:00:00Z",
            "freezes_at": "2099-01-01T00:00:00Z",
            "face": True,
        },
    ]
    cup = create("Cup", phases=phases)
    for who, elapsed in PLAYERS:
        submit(cup, who, elapsed_ms=elapsed)
    score_waiting()
    as_kind(cup, "bolt", "out_of_competition")
    assert (
        Board.objects.filter(is_out_of_ranking=True).count() == 4 - 1
    )  # The past one never freezes.
    assert rows(cup)[0] == ("bolt", None, "out_of_competition")
    frozen = board_at(Challenge.objects.get(pk=cup.pk)).before_freeze
    assert frozen is not None
    assert frozen.board_out_of_ranking is not None
    assert Standing.objects.filter(board=frozen.board_out_of_ranking).count() == 1
    assert verify_standings(cup) == []


def test_an_unknown_kind_is_refused(crowd: Challenge) -> None:
    check_refusals(
        lambda kind: set_row_kind(registration_named(crowd, "bolt"), {"row": kind}, by=None),
        [(kind, "row") for kind in ("", "ghost", None, 5)],
    )


def test_pages_together_have_each_row_once(create: Create, submit: Submit) -> None:
    walk = create("Walk")
    dice = random.Random(3)
    for at in range(9):
        submit(walk, f"p{at}", elapsed_ms=dice.randrange(4))
    score_waiting()
    for at in range(0, 9, 3):
        as_kind(walk, f"p{at}", "baseline")
    board = board_of(walk)
    for size in (1, 2, 3, 50):
        assert pages_of(board, size, "") == list(board.every_row())
        for sort in ("elapsed_ms", "-elapsed_ms"):
            pages = pages_of(board, size, sort)
            assert len(pages) == len({row.participant.pk for row in pages}) == 9, (size, sort)
            values = [row.values["elapsed_ms"] for row in pages]
            assert values == sorted(values, reverse=sort.startswith("-")), (size, sort)


def pages_of(board: VisibleBoard, size: int, sort: str) -> list[BoardRow]:
    """All pages of a board in one list; sort: as in `RowsAsked.sorted`, or empty."""
    asked = RowsAsked(key=sort.removeprefix("-"), descending=sort.startswith("-"))
    out_of_ranking, pages = board.out_of_ranking(RowsAsked(["baseline"])), list[BoardRow]()
    for start in range(0, 6, size):
        page = board.page_of(asked, start=start, limit=size + 1)
        pages += with_rows_out_of_ranking(
            page.rows[:size],
            out_of_ranking,
            is_first=start == 0,
            following=page.rows[size] if len(page.rows) > size else None,
            asked=asked,
        )
    return pages
