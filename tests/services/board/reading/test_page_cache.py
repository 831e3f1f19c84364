"""The cache of board pages in each process, and statements that are planned only once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from leaderboard.models import Board, Challenge, SortedColumn, Tenant
from leaderboard.models.prepared import fetch
from leaderboard.services.attempts.retry import withdraw_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import page_cache, ranking
from leaderboard.services.board.reading.ranking import Page
from leaderboard.services.board.reading.ranks import bucket_bounds_of
from leaderboard.services.board.reading.rows import FoundLine, find_edited
from leaderboard.services.board.standings import sorted_values
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.participants.creating import change_participant
from leaderboard.services.scoring import single
from tests.notifications import notifications
from tests.people import tenant
from tests.services.board.small_board import as_read_now, small_board
from tests.services.conftest import Submit

__all__ = ["notifications", "tenant"]

with_row_versions = pytest.mark.skipif(
    connection.vendor != "postgresql",
    reason="only PostgreSQL has a version of each row; SQLite reads the whole page again",
)


@pytest.fixture
def challenge(tenant: Tenant, submit: Submit, monkeypatch: pytest.MonkeyPatch) -> Challenge:
    return small_board(tenant, submit, monkeypatch, rows=20)


def first(challenge: Challenge) -> Page:
    return ranking.page_after(board_at(challenge), limit=5)


def third(challenge: Challenge) -> Page:
    return ranking.page_number(board_at(challenge), 3, limit=5)


def slowest(challenge: Challenge) -> Page:
    return ranking.sorted_by(board_at(challenge), "elapsed_ms", descending=True, limit=5)


def fastest(challenge: Challenge, start: int) -> Page:
    board = board_at(challenge)
    return ranking.sorted_by(board, "elapsed_ms", descending=False, start=start, limit=5)


def found(page: Page) -> list[tuple[int | None, str]]:
    return [(row.rank, row.participant.shown_name) for row in page.rows]


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that have read rows so far."""
    read: list[str] = []

    def counted_fetch(sql: str, parameters: Sequence[Any]) -> Any:
        read.append(sql)
        return fetch(sql, parameters)

    monkeypatch.setattr("leaderboard.services.board.reading.rows.fetch", counted_fetch)
    return read


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (first, [(1, "new"), (2, "p0")]),
        (third, [(11, "p9"), (12, "p10")]),
        (slowest, [(21, "p19"), (20, "p18")]),
    ],
)
def test_a_page_is_read_once_for_a_version(
    challenge: Challenge,
    submit: Submit,
    statements: list[str],
    read: Callable[[Challenge], Page],
    expected: list[tuple[int, str]],
) -> None:
    before = found(read(challenge))
    assert found(read(as_read_now(challenge))) == before
    assert len(statements) == 1
    submit(challenge, "new", elapsed_ms=50)
    single.score_waiting()
    after = found(read(as_read_now(challenge)))
    again = len(statements) - 1
    # On PostgreSQL a second statement reads lines that are new on the page.
    assert again == 1 or (again == 2 and connection.vendor == "postgresql")
    assert after[:2] == expected


@pytest.mark.django_db(transaction=True)
def test_every_change_is_on_the_next_page(challenge: Challenge, submit: Submit) -> None:
    """Pages with lines of a former version are those that a new process reads."""

    def pages() -> list[Page]:
        now = as_read_now(challenge)
        return [first(now), third(now), slowest(now), *map(partial(fastest, now), (0, 3))]

    def raise_version() -> None:
        Board.objects.filter(config__challenge=challenge).update(version=F("version") + 1)

    pages()
    leader = board_at(challenge).standings.order_by("sort_key")[0]
    for change in (
        partial(submit, challenge, "p19", elapsed_ms=50),
        partial(submit, challenge, "p9", elapsed_ms=10_000),
        raise_version,
        partial(withdraw_attempt, leader.attempt, reason="an error"),
        partial(submit, challenge, "p12", elapsed_ms=500),
    ):
        change()
        single.score_waiting()
        seen = pages()
        page_cache.clear_page_cache()
        assert pages() == seen


@pytest.mark.django_db(transaction=True)
@with_row_versions
def test_only_changed_lines_are_read_again(
    challenge: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    first(challenge)
    read: list[int] = []

    def recorded(ids: Sequence[int]) -> list[FoundLine]:
        read.extend(ids)
        return find_edited(ids)

    monkeypatch.setattr(page_cache, "find_edited", recorded)
    submit(challenge, "p2", elapsed_ms=9_000)
    single.score_waiting()
    assert found(first(as_read_now(challenge)))[:3] == [(1, "p0"), (2, "p1"), (3, "p2")]
    assert read == [board_at(challenge).standings.get(participant__handle="p2").pk]


@pytest.mark.django_db(transaction=True)
@with_row_versions
def test_a_line_that_changes_again_meanwhile_is_read_with_the_page(
    challenge: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    first(challenge)
    submit(challenge, "p2", elapsed_ms=20)
    single.score_waiting()
    now = as_read_now(challenge)

    def after_another(ids: Sequence[int]) -> list[FoundLine]:
        submit(challenge, "p2", elapsed_ms=10)
        single.score_waiting()
        return find_edited(ids)

    monkeypatch.setattr(page_cache, "find_edited", after_another)
    leader = first(now).rows[0]
    assert (leader.participant.handle, leader.values["elapsed_ms"]) == ("p2", 10)


@pytest.mark.django_db(transaction=True)
def test_a_new_name_is_on_the_next_page(challenge: Challenge) -> None:
    page = first(challenge)
    leader = board_at(challenge).standings.order_by("sort_key")[0].participant
    change_participant(leader, name="Atlas", kind=leader.kind, owner=leader.owner)
    assert found(page)[0] == (1, "p0")
    assert found(first(as_read_now(challenge)))[0] == (1, "Atlas")


@pytest.mark.django_db(transaction=True)
def test_a_new_name_behind_a_freeze_is_on_the_next_page(
    challenge: Challenge, submit: Submit
) -> None:
    """Only the version of the board changes then: that of the challenge would tell the public."""
    phases = [{"freezes_at": timezone.now().isoformat()}]
    change_challenge(challenge, user=None, fields={"phases": phases})
    submit(challenge, "late", elapsed_ms=1)
    single.score_waiting()
    assert found(first(as_read_now(challenge)))[0] == (1, "late")
    leader = board_at(challenge).standings.order_by("sort_key")[0].participant
    change_participant(leader, name="Atlas", kind=leader.kind, owner=leader.owner)
    assert found(first(as_read_now(challenge)))[0] == (1, "Atlas")


@pytest.mark.django_db(transaction=True)
def test_nothing_is_cached_inside_a_transaction(challenge: Challenge, submit: Submit) -> None:
    with transaction.atomic():
        submit(challenge, "undone", elapsed_ms=1)
        single.score_waiting()
        assert found(first(as_read_now(challenge)))[0] == (1, "undone")
        transaction.set_rollback(True)
    submit(challenge, "stored", elapsed_ms=2)
    single.score_waiting()
    assert found(first(as_read_now(challenge)))[0] == (1, "stored")


@pytest.mark.django_db(transaction=True)
def test_a_column_that_is_being_sorted_is_no_empty_page(
    challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "check_column", lambda board, key: None)
    board = board_at(challenge)
    expected = found(ranking.sorted_by(board, "speed", descending=True))
    column = SortedColumn.objects.create(board=board, key="speed", state="ready")
    last = max(board.standings.values_list("participant", flat=True))
    sorted_values.add(board.pk, column.pk, 0, last)
    assert found(ranking.sorted_by(board, "speed", descending=True)) == expected


@pytest.mark.django_db(transaction=True)
def test_the_number_of_cached_pages_is_limited(challenge: Challenge) -> None:
    board = board_at(challenge)
    for limit in range(1, 2 * page_cache.MAX_PAGES):
        ranking.page_after(board, limit=limit)
    assert len(page_cache._pages) == page_cache.MAX_PAGES


def test_ranks_are_right_after_another_process_has_split_a_bucket(
    challenge: Challenge, submit: Submit
) -> None:
    """The process knows the bounds of the version before, and reads lines in a new bucket."""
    board = board_at(challenge)
    known = bucket_bounds_of(board)
    expected = [(at + 1, f"p{at}") for at in range(20)]
    for at in range(12):
        submit(challenge, f"last{at}", elapsed_ms=2000 + at)
    single.score_waiting()
    now = bucket_bounds_of(board_at(as_read_now(challenge)))
    assert set(now.lows) - set(known.lows)
    page = ranking.sorted_by(board, "elapsed_ms", descending=False, limit=20)
    assert found(page) == expected


def planned() -> dict[str, int]:
    """How often PostgreSQL has planned each prepared statement for its parameters."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement, sum(custom_plans) FROM pg_prepared_statements GROUP BY 1")
        return dict(cursor.fetchall())


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite plans nothing by values")
def test_statements_are_planned_once(challenge: Challenge) -> None:
    """PostgreSQL plans the first five executions, then keeps the plan if it expects no better."""
    board = board_at(challenge)
    people = [standing.participant for standing in board.standings.select_related("participant")]
    with connection.cursor() as cursor:
        # By statistics of other tests' rows it may expect a plan for one value to be cheaper.
        cursor.execute("ANALYZE leaderboard_standing, leaderboard_participant, leaderboard_bucket")
    before = planned()
    for at in range(12):
        ranking.page_number(board, 2 + at % 3, limit=5)
        ranking.sorted_by(board, "elapsed_ms", descending=at % 2 == 0, start=at % 4, limit=5)
        ranking.standing_of(board, people[at])
    after = planned()
    assert len(after) > len(before)
    assert {sql: n for sql, n in after.items() if n > before.get(sql, 0) + 5} == {}
