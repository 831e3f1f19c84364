"""Participants choose the attempts that count, up to a number and until a moment."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from leaderboard.models import Attempt, AuditEntry, Board, Challenge, User
from leaderboard.services.attempts.retry import restore_attempt, withdraw_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.board.standings.filling import fill_boards
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.schedule.choosing import choice_of, choose, unchoose
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from leaderboard.services.scoring.single import score_waiting
from tests.services.competition.relays import code_of
from tests.services.conftest import Submit
from tests.services.threads import at_once

pytestmark = pytest.mark.django_db


def with_phase(challenge: Challenge, **fields: Any) -> Challenge:
    phases = [{"counting": "chosen", "counted": 2, **fields}]
    return change_challenge(challenge, user=None, fields={"phases": phases})


@pytest.fixture
def attempts(sprint: Challenge, submit: Submit) -> list[Attempt]:
    """Three attempts of atlas: the first one is the fastest."""
    with_phase(sprint)
    for elapsed_ms in (10, 20, 30):
        submit(sprint, "atlas", elapsed_ms=elapsed_ms)
    score_waiting()
    return list(Attempt.objects.select_related("challenge").order_by("elapsed_ms"))


def board_rows(challenge: Challenge) -> list[tuple[str, float]]:
    rows = ranking.page_after(board_at(challenge)).rows
    return [(str(row.attempt_id), row.values["elapsed_ms"]) for row in rows]


def test_the_best_of_the_chosen_counts(
    attempts: list[Attempt], sprint: Challenge, alice: User
) -> None:
    first, second, third = attempts
    assert board_rows(sprint) == [(str(first.pk), 10)]
    choose(third, user=alice, organiser=False)
    assert board_rows(sprint) == [(str(third.pk), 30)]
    choose(second, user=alice, organiser=False)
    assert board_rows(sprint) == [(str(second.pk), 20)]
    assert verify_standings(sprint) == []
    unchoose(second, user=alice, organiser=False)
    unchoose(third, user=alice, organiser=False)
    unchoose(third, user=alice, organiser=False)  # Nothing changes.
    assert board_rows(sprint) == [(str(first.pk), 10)]
    assert verify_standings(sprint) == []
    assert not AuditEntry.objects.filter(kind=AuditEntry.Kind.ATTEMPT).exists()


@pytest.mark.parametrize("rescores", [False, True])
def test_a_choice_after_the_freeze_does_not_change_the_frozen_board(
    sprint: Challenge, attempts: list[Attempt], alice: User, rescores: bool
) -> None:
    first, second, _ = attempts
    choose(second, user=alice, organiser=False)
    with_phase(sprint, freezes_at=timezone.now().isoformat())
    fill_boards(sprint)
    before = Board.objects.exclude(until=None).get().version
    choose(first, user=alice, organiser=False)
    assert Board.objects.exclude(until=None).get().version == before
    if rescores:
        config, _ = start_rescore(Challenge.objects.get())
        work_on(config.pk)
    challenge = Challenge.objects.get()
    assert board_rows(challenge) == [(str(first.pk), 10)]
    frozen = board_at(challenge).before_freeze
    assert frozen
    assert [row.attempt_id for row in ranking.page_after(frozen).rows] == [second.pk]
    assert verify_standings(challenge) == []


def chosen_ids() -> set[UUID]:
    return set(Attempt.objects.filter(chosen_at__isnull=False).values_list("pk", flat=True))


def test_no_more_than_the_phase_allows_are_chosen(attempts: list[Attempt], alice: User) -> None:
    first, second, third = attempts
    choose(first, user=alice, organiser=False)
    choose(first, user=alice, organiser=False)
    choose(second, user=alice, organiser=False)
    assert code_of(lambda: choose(third, user=alice, organiser=False)) == "conflict"
    choice = choice_of(third, alice, organiser=False)
    assert choice is not None
    assert (choice.is_chosen, choice.chosen, choice.most, choice.is_full) == (False, 2, 2, True)
    withdraw_attempt(second, reason="a mistake")
    choose(third, user=alice, organiser=False)
    restore_attempt(second)
    assert chosen_ids() == {first.pk, third.pk}
    withdraw_attempt(third, reason="a mistake")
    for _ in range(2):
        restore_attempt(third)
        assert chosen_ids() == {first.pk, third.pk}


def test_a_waiting_attempt_may_be_chosen(
    attempts: list[Attempt], sprint: Challenge, submit: Submit, alice: User
) -> None:
    waiting = submit(sprint, "atlas", elapsed_ms=99)
    choose(waiting, user=alice, organiser=False)
    assert board_rows(sprint) == [(str(attempts[0].pk), 10)]
    score_waiting()
    assert board_rows(sprint) == [(str(waiting.pk), 99)]
    assert verify_standings(sprint) == []


def test_attempts_can_be_chosen_until_a_deadline(
    attempts: list[Attempt], sprint: Challenge, alice: User
) -> None:
    first, second, _ = attempts
    soon, past = timezone.now() + timedelta(hours=1), timezone.now() - timedelta(seconds=1)
    with_phase(sprint, choose_until=soon.isoformat())
    choose(first, user=alice, organiser=False)
    with_phase(sprint, choose_until=past.isoformat(), closes_at=soon.isoformat())
    assert code_of(lambda: choose(second, user=alice, organiser=False)) == "conflict"
    assert choice_of(second, alice, organiser=False) is None
    with_phase(sprint, closes_at=past.isoformat())
    assert code_of(lambda: unchoose(first, user=alice, organiser=False)) == "conflict"
    organiser = User.objects.create_user("olga")
    choose(second, user=organiser, organiser=True)
    entry = AuditEntry.objects.get(kind=AuditEntry.Kind.ATTEMPT)
    assert (entry.actor, entry.after) == (organiser, {"chosen": True})


def test_others_do_not_choose(attempts: list[Attempt]) -> None:
    for user in (None, User.objects.create_user("rival")):
        act = partial(choose, attempts[0], user=user, organiser=False)
        assert code_of(act) == "permission_denied"
        assert choice_of(attempts[0], user, organiser=False) is None


def test_nothing_is_chosen_in_other_phases_nor_when_it_is_withdrawn(
    attempts: list[Attempt], sprint: Challenge, alice: User
) -> None:
    change_challenge(sprint, user=None, fields={"phases": [{"counting": "best"}]})
    first = Attempt.objects.get(pk=attempts[0].pk)
    assert code_of(lambda: choose(first, user=alice, organiser=False)) == "conflict"
    with_phase(sprint)
    withdraw_attempt(first, reason="a mistake")
    first.refresh_from_db()
    assert code_of(lambda: choose(first, user=alice, organiser=False)) == "conflict"


@pytest.mark.django_db(transaction=True)
def test_two_choices_at_once_keep_the_number(attempts: list[Attempt], alice: User) -> None:
    choose(attempts[0], user=alice, organiser=False)

    def chosen(attempt: Attempt) -> str:
        try:
            choose(attempt, user=alice, organiser=False)
        except ServiceError as error:
            return error.code
        return "chosen"

    results = at_once([partial(chosen, attempt) for attempt in attempts[1:]])
    assert sorted(results) == ["chosen", "conflict"]
