"""Sorted columns of large boards, compared with Python's own sort."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection

from leaderboard.models import (
    Attempt,
    Challenge,
    ScoringConfig,
    SortedColumn,
    SortedValue,
    Standing,
    Tenant,
    User,
)
from leaderboard.services.attempts.new_attempts import NewAttempt
from leaderboard.services.attempts.retry import restore_attempt, withdraw_attempt
from leaderboard.services.attempts.submit import submit_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import sorting
from leaderboard.services.board.reading.rows import find_sorted
from leaderboard.services.board.standings import sorted_columns, sorted_pieces, sorted_values
from leaderboard.services.board.standings.counting import rebuild_standings, verify_standings
from leaderboard.services.board.standings.sorted_columns import keep_columns, look_after_columns
from leaderboard.services.board.standings.sorted_pieces import Pace
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.operations.backup import write_backup
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from leaderboard.services.scoring.single import score_waiting
from leaderboard.services.scoring.sweeper import sweep
from tests.databases import rows_taken_back
from tests.notifications import notifications
from tests.people import tenant
from tests.services.attempts.crowds import WAYS, count, crowd, plain_line
from tests.services.board.plain_sort import check_sorted_pages, plainly_sorted

__all__ = ["notifications", "tenant"]

KEYS = ["mean", "solved", 'a "quoted" one’s name']
MEAN = {"type": "mean", "reported": "allow"}


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limits, so that small boards count as large and near pages as far ones."""
    monkeypatch.setattr(sorted_columns, "LEAST", 4)
    monkeypatch.setattr(sorting, "MOST", 3)


@pytest.fixture
def challenge(tenant: Tenant) -> Challenge:
    columns = [{"key": key} for key in KEYS]
    values = [key for key in KEYS if key != "mean"]
    fields = {"name": "Crowd", **WAYS["fastest"], "metrics": [MEAN]}
    found = create_challenge(tenant=tenant, user=None, fields=fields)
    # Only an import creates such names; the API refuses names that a URL cannot hold.
    Challenge.objects.filter(pk=found.pk).update(columns=columns, values=values)
    return Challenge.objects.get()


Tries = Callable[..., Attempt]


@pytest.fixture
def submit(alice: User) -> Tries:
    """Submit as alice with a reported value: `submit(challenge, "atlas", solved=3)`."""

    def submitted(
        challenge: Challenge, participant: str, *, solved: float, **facts: Any
    ) -> Attempt:
        new = NewAttempt(participant=participant, metrics=facts, values={"solved": solved})
        return submit_attempt(challenge=challenge, user=alice, new=new)[0]

    return submitted


def kept(config: ScoringConfig) -> list[str]:
    found = SortedColumn.objects.ready().filter(board__config=config).order_by("key")
    return list(found.values_list("key", flat=True))


def check_pages(challenge: Challenge) -> None:
    """Check each sorted column: its pages, and the order of boards that have no such column."""
    challenge.refresh_from_db()
    board = board_at(challenge)
    total = board.standings.count()
    starts = {0, 3, 4, total // 2, max(total - 5, 0), total, total + 90}
    for key in kept(challenge.shown):
        check_sorted_pages(board, key, starts, limits=(2, 5, 500))
        for descending in (False, True):
            ordered = sorting.ordered(Standing.objects.of(board), key, descending=descending)
            participants = list(ordered.values_list("participant_id", flat=True))
            assert participants == plainly_sorted(board, key, descending=descending), key


def fill(challenge: Challenge, seed: int, *, participants: int = 25) -> None:
    """Insert attempts with varied and equal values, scored and not yet counted."""
    crowd(challenge, participants=participants, attempts=3 * participants, seed=seed)
    dice = random.Random(seed)
    some = [0.0, -0.0, 0.1 + 0.2, 0.3, 1e300, -1e300, 5e-324, 1 / 3, -1 / 3, 7.0, 1e-10]
    for attempt in Attempt.objects.filter(challenge=challenge):
        attempt.values = {
            key: dice.choice([*some, dice.random(), -dice.random()])
            for key in KEYS
            if key != "mean" and dice.random() < 0.8
        }
        attempt.save(update_fields=["values"])


def test_each_page_equals_a_plain_sort(challenge: Challenge) -> None:
    fill(challenge, 0)
    rebuild_standings(challenge)
    assert kept(challenge.shown) == sorted(KEYS)
    assert verify_standings(challenge) == []
    check_pages(challenge)


def test_stored_scores_keep_the_columns_sorted(challenge: Challenge) -> None:
    """One score at a time, a few together, and then all others at once."""
    fill(challenge, 1, participants=12)
    config = challenge.shown
    scores = list(config.scores.select_related("attempt"))
    random.Random(4).shuffle(scores)
    lines = [plain_line(config, score) for score in scores]
    count(board_at(challenge), lines[:14])
    assert keep_columns(challenge) == len(KEYS)
    stored = 14
    for together in (1, 1, 1, 7, len(lines)):
        count(board_at(challenge), lines[stored : stored + together])
        stored += together
        assert sorted_values.differences(board_at(challenge).pk) == []
    assert verify_standings(challenge) == []
    check_pages(challenge)


def test_columns_stay_sorted_while_attempts_come_and_go(
    challenge: Challenge, submit: Tries
) -> None:
    dice = random.Random(2)
    tried = [
        submit(challenge, f"p{at % 9}", elapsed_ms=dice.randrange(6), solved=at % 4)
        for at in range(24)
    ]
    score_waiting()
    assert keep_columns(challenge) > 0
    for attempt in dice.sample(tried, 12):
        withdraw_attempt(attempt, reason="a mistake")
        assert verify_standings(challenge) == []
        if dice.random() < 0.5:
            restore_attempt(attempt)
    check_pages(challenge)


def test_a_rescore_keeps_the_columns_of_its_board_sorted(
    challenge: Challenge, submit: Tries
) -> None:
    for at in range(8):
        submit(challenge, f"p{at}", elapsed_ms=at % 5, tokens_total=at % 3, solved=at)
    score_waiting()
    keep_columns(challenge)
    old = challenge.shown
    fields = {"scoring_strategy": "fewest_tokens", "columns": [], "values": ["solved"]}
    change_challenge(challenge, user=None, fields=fields)
    config, _ = start_rescore(Challenge.objects.get())
    work_on(config.pk)
    challenge = Challenge.objects.get()
    assert challenge.shown == config
    assert "solved" in kept(config)
    assert kept(old) == []
    assert verify_standings(challenge) == []
    check_pages(challenge)


def test_columns_of_comparing_values_stay_sorted(tenant: Tenant, submit: Tries) -> None:
    """Each score changes the values of all participants."""
    win_rate = {"type": "mean_win_rate", "name": "wins", "of": ["solved", "elapsed_ms"]}
    fields = {
        "name": "Wins",
        "scoring_strategy": "metric",
        "metrics": [win_rate],
        "values": ["solved"],
        "rank_by": [{"key": "solved"}],
    }
    challenge = create_challenge(tenant=tenant, user=None, fields=fields)
    for at in range(14):
        submit(challenge, f"p{at % 9}", solved=at * 5 % 7, elapsed_ms=at * 3 % 5)
        score_waiting()
        keep_columns(challenge)
        assert sorted_values.differences(board_at(challenge).pk) == []
    assert kept(challenge.shown) == ["solved", "wins"]
    check_pages(challenge)


@pytest.fixture
def five(challenge: Challenge, submit: Tries) -> Challenge:
    """A board of five participants, p0 with the value 0 to p4 with the value 4."""
    for at in range(5):
        submit(challenge, f"p{at}", solved=at)
    score_waiting()
    return challenge


def test_a_backup_has_no_sorted_columns(five: Challenge, tmp_path: Path) -> None:
    """A worker sorts the columns of a restored board again at its next round."""
    keep_columns(five)
    write_backup(tmp_path / "backup.zip")
    with zipfile.ZipFile(tmp_path / "backup.zip") as file:
        names = file.namelist()
    assert "tables/leaderboard.standing.jsonl" in names
    assert not [name for name in names if "sorted" in name]


def test_workers_create_and_delete_sorted_columns(challenge: Challenge, submit: Tries) -> None:
    for at in range(3):
        submit(challenge, f"p{at}", solved=at)
    score_waiting()
    assert look_after_columns() == 0, "the board is short"
    submit(challenge, "p3", solved=3)
    score_waiting()
    assert look_after_columns() == 0, "a worker has just looked"
    cache.clear()
    sweep()
    assert kept(challenge.shown) == sorted(KEYS)
    Challenge.objects.update(columns=[{"key": "mean"}], values=[])
    cache.clear()
    sweep()
    assert kept(challenge.shown) == ["mean"]
    assert not SortedValue.objects.exclude(column__key="mean").exists()
    check_pages(Challenge.objects.get())


def test_the_number_of_sorted_columns_is_limited(
    five: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sorted_columns.MOST, connection.vendor, 2)
    keep_columns(five)
    columns = kept(five.shown)
    assert len(columns) == 2
    (other,) = set(KEYS) - set(columns)
    check_sorted_pages(board_at(five), other, starts=(0,), limits=(50,))


def test_a_worker_corrects_wrong_sorted_values(five: Challenge) -> None:
    keep_columns(five)
    solved = SortedValue.objects.filter(column__key="solved").order_by("up")
    solved.filter(up=4).update(up=2.5)
    solved.filter(up=0).delete()
    (difference,) = verify_standings(five)
    assert difference.startswith("the order by solved: 2 values")
    rebuild_standings(five)
    assert verify_standings(five) == []


def _without_a_standing() -> None:
    Standing.objects.latest("participant").delete()


def test_any_wrong_sorted_value_is_found(five: Challenge) -> None:
    keep_columns(five)
    board = board_at(five).pk
    assert not sorted_values.is_any_wrong(board)
    highest = SortedValue.objects.filter(up=4)
    mistakes: dict[str, Callable[[], object]] = {
        "up": lambda: highest.update(up=4.5),
        "down": lambda: highest.update(down=0),
        "sort_key": lambda: highest.update(sort_key=b"other"),
        "missing": highest.delete,
        "superfluous": _without_a_standing,
    }
    for mistake, make in mistakes.items():
        with rows_taken_back():
            make()
            assert sorted_values.is_any_wrong(board), mistake
    _without_a_standing()
    SortedColumn.objects.give_up()
    assert not sorted_values.is_any_wrong(board)


def test_a_column_that_is_being_built_may_lack_later_values(five: Challenge) -> None:
    board = board_at(five).pk
    sorted_pieces.begin(board, "solved")
    (column,) = SortedColumn.objects.all()
    first, second, *_ = Standing.objects.order_by("participant").values_list(
        "participant", flat=True
    )
    sorted_values.add(board, column.pk, 0, first)
    SortedColumn.objects.update(done_to=first)
    assert not sorted_values.is_any_wrong(board)
    SortedColumn.objects.update(done_to=second)
    assert sorted_values.is_any_wrong(board)


def test_a_failed_transaction_stores_no_sorted_values(five: Challenge) -> None:
    board = board_at(five)
    with rows_taken_back():
        sorted_pieces.begin(board.pk, "solved")
        sorted_pieces.build(board.pk, "solved", Pace())
        assert kept(five.shown) == ["solved"]
    assert find_sorted(board.pk, "solved", 5, 0, descending=True, backwards=False) == []
    check_sorted_pages(board, "solved", starts=(0,), limits=(5,))
