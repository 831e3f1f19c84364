"""Rows in the order of a field of meta: the same on both databases as a plain sort of the texts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.db.models import F

from leaderboard.models import Attempt, Board, Challenge, Registration, User
from leaderboard.rules.visibility.meta_values import MetaField, place_of
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import meta_order
from leaderboard.services.board.reading.row_filter import ALL_KINDS, RowFilter, RowsAsked
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.participants.row_kinds import set_row_kind
from leaderboard.services.competition.visible import rows as visible_rows
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.scoring.single import score_waiting
from tests.services.board.reading.test_meta_filter import NAME, TEXTS

pytestmark = pytest.mark.django_db

Commit = Callable[..., AbstractContextManager[Any]]
LINKS = ("https://example.org/A", "http://b", "HTTPS://x")
MORE = (*TEXTS, *LINKS, "Zebra", "a_b", "a-c", "aB", "", "2025-06-30T1")
TYPES = ("text", "number", "date", "boolean", "link")
ORDERS = [(type_, way) for type_ in TYPES for way in ("", "-")]


def field(type_: str) -> MetaField:
    return MetaField(NAME, "Name", type_, "", shown=True)


@pytest.fixture
def crowd(sprint: Challenge, alice: User) -> Challenge:
    for at, text in enumerate([*MORE, None]):
        new = NewAttempt(participant=f"p{at}", metrics={"succeeded": True, "elapsed_ms": at % 7})
        attempt, _ = submit_attempt(challenge=sprint, user=alice, new=new)
        meta = {} if text is None else {NAME: text, "other": "7"}
        Attempt.objects.filter(pk=attempt.pk).update(meta=meta)
    score_waiting()
    Challenge.objects.filter(pk=sprint.pk).update(
        meta_fields=[{"name": NAME, "type": "text"}, {"name": "other", "type": "number"}]
    )
    return Challenge.objects.get(pk=sprint.pk)


def board_of(challenge: Challenge) -> VisibleBoard:
    return VisibleBoard(board_at(challenge), Access(challenge.pk))


def asked_for(type_: str, way: str, wanted: RowFilter = RowFilter()) -> RowsAsked:  # noqa: B008
    meta_field = field(type_)
    return RowsAsked.sorted(ALL_KINDS, wanted, f"{way}{meta_field.key}", [meta_field])


def plainly(rows: list[BoardRow], type_: str, *, descending: bool) -> list[BoardRow]:
    """The rows sorted by Python, undefined values last, equal ones in the order of the board."""
    placed_rows: list[tuple[Any, BoardRow]] = []
    empty = []
    for row in rows:
        place = place_of(field(type_), row.meta.get(NAME, ""))
        if place is None:
            empty.append(row)
        else:
            placed_rows.append((place, row))
    places = sorted({place for place, _row in placed_rows}, reverse=descending)
    return [
        *(row for wanted_place in places for place, row in placed_rows if place == wanted_place),
        *empty,
    ]


def test_the_order_is_that_of_a_plain_sort(crowd: Challenge) -> None:
    board = board_of(crowd)
    rows = board.with_meta(board.every_row())
    for type_, way in ORDERS:
        expected = plainly(rows, type_, descending=way == "-")
        assert list(board.every_row(asked_for(type_, way))) == expected, (type_, way)
        assert place_of(field(type_), expected[0].meta[NAME]) is not None, (type_, way)
        page = board.page_of(asked_for(type_, way), start=3, limit=4)
        assert page.rows == expected[3:7], (type_, way)


def test_a_filter_and_a_search_keep_the_order(crowd: Challenge) -> None:
    board = board_of(crowd)
    expected = [row for row in board.every_row(asked_for("text", "-")) if row.meta]
    narrowed = asked_for("text", "-", RowFilter(kind="system"))
    matching_rows = [row for row in board.every_row(narrowed) if row.meta]
    assert [row.participant for row in matching_rows] == [row.participant for row in expected]
    assert all(row.here for row in matching_rows)
    searched = board.every_row(asked_for("text", "-", RowFilter("p1")))
    names = [row.participant.handle for row in expected if "p1" in row.participant.handle]
    assert [row.participant.handle for row in searched if row.meta] == names


def test_rows_out_of_the_ranking_stand_in_their_places(
    crowd: Challenge, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Commit
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        for entered in Registration.objects.select_related("participant").order_by("pk")[::3]:
            set_row_kind(entered, {"row": "baseline"}, by=None)
    board = board_of(crowd)
    monkeypatch.setattr(visible_rows, "ROWS_PER_PIECE", 4)
    for type_, way in ORDERS:
        rows = list(board.every_row(asked_for(type_, way)))
        places = [place_of(field(type_), row.meta.get(NAME, "")) for row in rows]
        defined: list[Any] = [place for place in places if place is not None]
        assert defined == sorted(defined, reverse=way == "-"), (type_, way)
        assert places[: len(defined)] == defined, "undefined values are last"
        assert len({row.participant.pk for row in rows}) == len(rows) == len(MORE) + 1


def test_a_large_board_is_sorted_once_for_each_version(
    crowd: Challenge, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    asked = asked_for("text", "-")
    rows = list(board_of(crowd).every_row(asked))
    monkeypatch.setattr(meta_order, "LARGE", 5)
    board = board_of(crowd)
    assert board.page_of(asked, start=2, limit=3).rows == rows[2:5]
    with django_assert_num_queries(2):  # the lines with their places, and their meta
        assert board.page_of(asked, start=9, limit=3).rows == rows[9:12]
    assert list(board.every_row(asked)) == rows
    Attempt.objects.filter(participant__handle="p3").update(meta={NAME: "zzzz"})
    assert next(board.every_row(asked)).meta == rows[0].meta
    Board.objects.update(version=F("version") + 1)
    newer = board_of(Challenge.objects.get(pk=crowd.pk))
    names = [row.meta.get(NAME) for row in newer.page_of(asked, start=0, limit=3).rows]
    assert names.index("zzzz") == 1, "after the one that is no ASCII"


def test_a_page_of_rows_is_read_with_its_meta(
    crowd: Challenge, django_assert_num_queries: Any
) -> None:
    board = board_of(crowd)
    board.page_from(0, with_meta=True)
    with django_assert_num_queries(1):
        rows = board.with_meta(board.page_from(0, limit=5, with_meta=True).rows)
    assert rows == board.with_meta(board.page_from(0, limit=5).rows)
    assert rows[0].meta == {NAME: MORE[0], "other": "7"}
