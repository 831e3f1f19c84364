"""Sorted columns while a worker of a release without them is still running."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from uuid import UUID

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from leaderboard.models import Challenge, SortedColumn, Tenant, User, Worker
from leaderboard.models.built_once import Update
from leaderboard.services.attempts.new_attempts import NewAttempt
from leaderboard.services.attempts.retry import restore_attempt, withdraw_attempt
from leaderboard.services.attempts.submit import submit_attempt
from leaderboard.services.board import (
    ranking,
    sorted_columns,
    sorted_pieces,
    sorted_values,
    standings,
)
from leaderboard.services.board.sorted_columns import keep_columns
from leaderboard.services.board.standings import rebuild_standings, verify_standings
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.competition.participants import change_participant
from leaderboard.services.scoring.single import score_waiting
from leaderboard.version import VERSION
from tests.notifications import notifications
from tests.people import tenant
from tests.services.attempts.crowds import WAYS

__all__ = ["notifications", "tenant"]

FORMER_CHANGED = Update(
    lambda pk, shown: (
        Challenge.objects.filter(pk=pk, shown_config_id=shown),
        {"board_version": F("board_version") + 1, "board_changed_at": Now()},
    ),
    pk=UUID,
    shown=int,
)
Score = Callable[[str, int], None]


@pytest.fixture
def challenge(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> Challenge:
    monkeypatch.setattr(sorted_columns, "LEAST", 4)
    fields = {"name": "Crowd", **WAYS["fastest"], "values": ["solved"]}
    return create_challenge(tenant=tenant, user=None, fields=fields)


@pytest.fixture
def score(challenge: Challenge, alice: User) -> Score:
    def scored(participant: str, number: int) -> None:
        facts = {"succeeded": True, "elapsed_ms": 1000 - number}
        new = NewAttempt(participant=participant, metrics=facts, values={"solved": number})
        submit_attempt(challenge=challenge, user=alice, new=new)
        score_waiting()

    return scored


@pytest.fixture
def board(challenge: Challenge, score: Score) -> Challenge:
    for at in range(8):
        score(f"p{at}", at)
    assert keep_columns(challenge) == 1
    assert is_kept(challenge)
    return challenge


@pytest.fixture
def former(score: Score, monkeypatch: pytest.MonkeyPatch) -> Score:
    """Return a function that scores as a worker of the former release does."""

    def scored(participant: str, number: int) -> None:
        with monkeypatch.context() as context:
            context.setattr(standings, "_CHANGED", FORMER_CHANGED)
            context.setattr(sorted_values, "write", lambda config, participants: None)
            score(participant, number)

    return scored


def is_kept(challenge: Challenge) -> bool:
    """Return whether pages are read by the column."""
    columns = SortedColumn.objects.ready().up_to_date()
    return columns.filter(config=challenge.shown, key="solved").exists()


def check(challenge: Challenge) -> None:
    assert verify_standings(challenge) == []
    challenge = Challenge.objects.get(pk=challenge.pk)
    rows = ranking.sorted_by(challenge, "solved", descending=True).rows
    expected = [each.values["solved"] for each in challenge.shown.standings.all()]
    assert [row.values["solved"] for row in rows] == sorted(expected, reverse=True)


def test_a_board_that_a_former_worker_wrote_is_sorted_by_the_database(
    board: Challenge, score: Score, former: Score
) -> None:
    former("p0", 30)
    assert not is_kept(board)
    check(board)
    score("p1", 31)
    former("new", 32)
    check(board)
    assert keep_columns(board) == 2, "one is dropped, one is built"
    assert is_kept(board)
    check(board)
    score("p2", 33)
    assert is_kept(board)
    check(board)


def test_a_former_worker_that_writes_while_a_column_is_built(
    board: Challenge, former: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    former("p0", 30)
    numbers = iter(range(40, 42))

    def others_write(seconds: float) -> None:
        check(board)
        building = SortedColumn.objects.up_to_date().filter(state="building")
        if building.exists() and (number := next(numbers, None)):
            former("p1", number)
            check(board)

    monkeypatch.setattr(sorted_pieces, "FIRST_ROWS", 2)
    monkeypatch.setattr(sorted_pieces, "rows_after", lambda rows, held: rows)
    monkeypatch.setattr(sorted_pieces, "pause", others_write)
    looks = 0
    while not is_kept(board):
        keep_columns(board)
        check(board)
        looks += 1
        assert looks < 6
    assert looks > 1
    check(board)


def test_nothing_is_built_while_workers_of_another_release_are_alive(
    board: Challenge, former: Score
) -> None:
    Worker.objects.create(name="here", version=VERSION)
    other = Worker.objects.create(name="there", version="0.0.1")
    former("p0", 30)
    assert keep_columns(board) == 1, "the column is dropped"
    assert keep_columns(board) == 0
    assert not SortedColumn.objects.exists()
    rebuild_standings(board)
    check(board)
    assert not SortedColumn.objects.exists()
    other.delete()
    assert keep_columns(board) == 1
    assert is_kept(board)


def test_other_changes_of_a_board_keep_its_columns(board: Challenge, alice: User) -> None:
    attempt = board.attempts.all()[0]
    change_participant(attempt.participant, name="Another name", kind="system", owner=alice)
    assert is_kept(board)
    Challenge.objects.bump(board.pk)
    assert is_kept(board)
    withdraw_attempt(attempt, reason="a mistake")
    assert is_kept(board)
    restore_attempt(attempt)
    assert is_kept(board)
    check(board)


def test_columns_that_were_there_before_the_upgrade_are_used(board: Challenge) -> None:
    Challenge.objects.update(version_with_columns=0)
    assert not is_kept(board)
    migration = import_module("leaderboard.migrations.0021_columns_know_who_writes_them")
    migration.as_their_boards(apps, connection.schema_editor())
    assert is_kept(board)
