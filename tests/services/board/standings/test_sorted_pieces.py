"""Sorted columns that are built and deleted piece by piece, while attempts come and go."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from django.core.cache import cache

from leaderboard.models import Attempt, Challenge, SortedColumn, SortedValue, Standing, Tenant, User
from leaderboard.services.attempts.new_attempts import NewAttempt
from leaderboard.services.attempts.retry import restore_attempt, withdraw_attempt
from leaderboard.services.attempts.submit import submit_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import sorting
from leaderboard.services.board.standings import (
    corrections,
    sorted_columns,
    sorted_pieces,
    sorted_values,
)
from leaderboard.services.board.standings.counting import rebuild_standings, verify_standings
from leaderboard.services.board.standings.sorted_columns import keep_columns, look_after_columns
from leaderboard.services.board.standings.sorted_pieces import rows_after
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring.single import score_attempt, score_waiting
from tests.notifications import notifications
from tests.people import tenant
from tests.services.attempts.crowds import WAYS
from tests.services.board.plain_sort import check_sorted_pages
from tests.services.threads import at_once

__all__ = ["notifications", "tenant"]

KEYS = ["solved", "wrong"]
BUILDING, READY, DROPPED = "building", "ready", "dropped"


class Killed(BaseException):
    """Imitates a killed worker: it is a BaseException, so that no `except Exception` runs."""


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Boards count as large, and columns are built in many pieces, also on a slow machine."""
    monkeypatch.setattr(sorted_columns, "LEAST", 4)
    monkeypatch.setattr(sorted_columns, "SECONDS_AT_ONCE", 600)
    monkeypatch.setattr(sorting, "MOST", 3)
    monkeypatch.setattr(sorted_pieces, "FIRST_ROWS", 3)
    monkeypatch.setattr(sorted_pieces, "rows_after", lambda rows, held: rows)


@pytest.fixture
def challenge(tenant: Tenant) -> Challenge:
    fields = {"name": "Crowd", **WAYS["fastest"], "values": KEYS}
    return create_challenge(tenant=tenant, user=None, fields=fields)


Submit = Callable[[str, int], Attempt]


@pytest.fixture
def submit(challenge: Challenge, alice: User) -> Submit:
    def submitted(participant: str, number: int) -> Attempt:
        new = NewAttempt(
            participant=participant,
            metrics={"succeeded": True, "elapsed_ms": number * 7 % 23},
            values={"solved": number * 5 % 11, "wrong": number * 3 % 4},
        )
        return submit_attempt(challenge=challenge, user=alice, new=new)[0]

    return submitted


@pytest.fixture
def tried(submit: Submit) -> list[Attempt]:
    """Scored attempts of twenty participants."""
    found = [submit(f"p{at:02}", at) for at in range(20)]
    score_waiting()
    return found


def between(monkeypatch: pytest.MonkeyPatch, work: Callable[[], None]) -> None:
    """Run `work` in each pause between pieces."""
    monkeypatch.setattr(sorted_pieces, "pause", lambda seconds: work())


def states() -> dict[str, str]:
    return dict(SortedColumn.objects.order_by("key").values_list("key", "state"))


def check(challenge: Challenge) -> None:
    """Check the stored values, and each page, whether or not a column serves it."""
    assert verify_standings(challenge) == []
    challenge.refresh_from_db()
    board = board_at(challenge)
    for key in KEYS:
        check_sorted_pages(board, key, starts=(0, 5, board.standings.count() - 2), limits=(4,))


def test_a_column_is_right_at_every_step(
    challenge: Challenge, submit: Submit, tried: list[Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = random.Random(7)
    seen: list[dict[str, str]] = []

    def others_write() -> None:
        """Change participants before and after the end of the built part; add one, remove one."""
        at = len(seen)
        seen.append(states())
        for attempt in dice.sample(tried, 2):
            withdraw_attempt(attempt, reason="a mistake")
        submit(f"p{dice.randrange(20):02}", 23 + at)
        if at < 4:  # each new participant makes the building longer
            submit(f"new{at}", at)
        score_waiting()
        check(challenge)
        for attempt in dice.sample(tried, 3):
            attempt.refresh_from_db()
            if attempt.withdrawn_at:
                restore_attempt(attempt)

    between(monkeypatch, others_write)
    assert keep_columns(challenge) == 2
    assert {BUILDING, READY} == {state for each in seen for state in each.values()}
    assert len(seen) > 10
    assert states() == dict.fromkeys(KEYS, READY)
    assert SortedValue.objects.count() == 2 * board_at(challenge).standings.count()
    check(challenge)

    seen.clear()
    Challenge.objects.update(values=["solved"])
    assert keep_columns(Challenge.objects.get()) == 1
    assert {each["wrong"] for each in seen if "wrong" in each} == {DROPPED}
    assert len(seen) > 6
    assert states() == {"solved": READY}
    assert SortedValue.objects.count() == board_at(challenge).standings.count()
    check(challenge)


def killed_after(pieces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kill the worker that maintains columns in the middle of a piece."""
    steps = iter(range(pieces))

    def killed(*parameters: int) -> None:
        raise Killed

    def dies() -> None:
        if next(steps, None) is None:
            context.setattr(sorted_values, "add", killed)
            context.setattr(sorted_values, "remove", killed)

    with monkeypatch.context() as context:
        between(context, dies)
        cache.clear()
        with pytest.raises(Killed):
            look_after_columns()


def test_another_worker_continues_after_one_was_killed(
    challenge: Challenge, submit: Submit, tried: list[Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_after(2, monkeypatch)
    (column,) = SortedColumn.objects.all()
    assert (column.state, SortedValue.objects.count()) == (BUILDING, 9)
    submit("p01", 33)
    submit("late", 34)
    withdraw_attempt(tried[3], reason="a mistake")
    score_waiting()
    check(challenge)
    between(monkeypatch, lambda: check(challenge))
    cache.clear()
    look_after_columns()
    assert states() == dict.fromkeys(KEYS, READY)
    check(challenge)

    Challenge.objects.update(values=["solved"])
    killed_after(2, monkeypatch)
    assert states() == {"solved": READY, "wrong": DROPPED}
    assert SortedValue.objects.filter(column__key="wrong").count() == 21 - 9
    submit("p01", 35)
    submit("later", 36)
    score_waiting()
    assert SortedValue.objects.filter(column__key="wrong").count() == 21 - 9
    cache.clear()
    look_after_columns()
    assert states() == {"solved": READY}
    assert SortedValue.objects.count() == board_at(challenge).standings.count()
    check(Challenge.objects.get())


def test_a_column_may_be_wanted_again_before_it_is_deleted(
    challenge: Challenge, tried: list[Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_columns(challenge)
    Challenge.objects.update(values=["solved"])
    killed_after(1, monkeypatch)
    Challenge.objects.update(values=KEYS)
    between(monkeypatch, lambda: check(challenge))
    keep_columns(challenge)
    assert SortedColumn.objects.count() == 2
    assert states() == dict.fromkeys(KEYS, READY)
    check(challenge)


@pytest.mark.parametrize("are_wrong", [True, False])
def test_standings_are_rebuilt_while_a_column_is_built(
    challenge: Challenge, tried: list[Attempt], monkeypatch: pytest.MonkeyPatch, are_wrong: bool
) -> None:
    """A column that was begun is completed if its values are right, and built anew otherwise."""
    monkeypatch.setattr(corrections, "MOST", -1)
    killed_after(3, monkeypatch)
    (before,) = SortedColumn.objects.all()
    if are_wrong:
        SortedValue.objects.update(up=-1)
    Standing.objects.update(attempts=70)
    rebuild_standings(challenge)
    assert SortedColumn.objects.filter(pk=before.pk).exists() is not are_wrong
    assert SortedValue.objects.count() == 40
    check(challenge)


def test_each_worker_builds_for_a_limited_time_and_the_next_continues(
    challenge: Challenge, tried: list[Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    between(monkeypatch, lambda: None)
    monkeypatch.setattr(sorted_columns, "SECONDS_AT_ONCE", 3)
    clock = iter(range(10_000))
    monkeypatch.setattr(sorted_pieces, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    cache.clear()
    looks = 0
    while states() != dict.fromkeys(KEYS, READY):
        before = SortedValue.objects.count()
        look_after_columns()
        looks += 1
        assert looks < 100
        assert SortedValue.objects.count() >= before
        check(challenge)
    assert looks > 2


def test_pieces_grow_and_shrink_with_their_duration() -> None:
    durations = {0.15: 1000, 0.05: 2000, 0.0: 2000, 0.3: 500}
    assert {held: rows_after(1000, held) for held in durations} == durations
    assert rows_after(8, 60) == 2
    assert min(rows_after(1, held) for held in (0.0, 1.0, 1e9)) == 1


@pytest.mark.django_db(transaction=True)
def test_attempts_are_scored_and_withdrawn_while_a_worker_builds(
    challenge: Challenge, submit: Submit, tried: list[Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    between(monkeypatch, lambda: None)
    more = [submit(f"p{at % 31:02}", at + 40) for at in range(30)]

    def score() -> None:
        for attempt in more:
            score_attempt(attempt.pk)

    def withdraw() -> None:
        for attempt in tried[::2]:
            withdraw_attempt(attempt, reason="a mistake")

    def change() -> None:
        for keys in (KEYS, ["wrong"], ["solved"]) * 3:
            Challenge.objects.filter(pk=challenge.pk).update(values=keys)
            keep_columns(challenge)

    at_once((score, withdraw, change, change))
    Challenge.objects.filter(pk=challenge.pk).update(values=KEYS)
    keep_columns(challenge)
    assert states() == dict.fromkeys(KEYS, READY)
    check(challenge)
