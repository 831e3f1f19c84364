"""Grants that end after their phase keep it open for one participant; others are for all."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest

from leaderboard.models import Attempt, Challenge, Participant, Phase, QuotaUse, User
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading.ranking import every_row
from leaderboard.services.competition.quotas import grants
from leaderboard.services.competition.quotas.agreements import LateRows
from leaderboard.services.competition.quotas.grants import give_extra
from leaderboard.services.competition.quotas.use_counters import extras_of
from leaderboard.services.competition.schedule import choosing
from leaderboard.services.competition.schedule.choosing import choose
from leaderboard.services.scoring import single
from tests.services.competition.moments import CLOSES, INSTANT, NOON, At, take_names
from tests.services.refusals import refusal

pytestmark = pytest.mark.django_db
UNTIL = CLOSES + timedelta(days=2)


@pytest.fixture(autouse=True)
def noon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Grants are given before the phase closes."""
    monkeypatch.setattr(grants, "received_now", lambda: NOON)


@pytest.fixture
def names(sprint: Challenge, phase: Phase, bob: User) -> None:
    """Bob has two names, of which only one has an agreement."""
    take_names(sprint, bob, "atlas", "nova")


def give(challenge: Challenge, until: datetime | None = UNTIL, **fields: Any) -> None:
    written = until.isoformat() if until else None
    wanted = {"participant": "atlas", "phase": "main", "extra": 1, "reason": "ill", **fields}
    give_extra(challenge, {**wanted, "until": written}, by=None)


@pytest.mark.usefixtures("names")
def test_an_agreed_deadline_holds_for_one_participant(
    sprint: Challenge, phase: Phase, submit_at: At
) -> None:
    sprint.phases.update(total=1)
    submit_at(NOON)
    give(sprint)
    late = submit_at(UNTIL - INSTANT)
    single.score_attempt(late.pk)
    late.refresh_from_db()
    assert (late.agreed_until, late.phase, late.status) == (UNTIL, phase, "scored")
    assert refusal(lambda: submit_at(UNTIL - INSTANT)).code == "quota"
    assert refusal(lambda: submit_at(UNTIL)).code == "closed"
    assert refusal(lambda: submit_at(CLOSES, "nova")).code == "closed"
    rows = every_row(board_at(sprint))
    assert [LateRows(board_at(sprint)).has(row) for row in rows] == [True]


@pytest.mark.usefixtures("names")
def test_the_lines_of_a_bulk_are_late_for_themselves(
    sprint: Challenge, phase: Phase, bob: User
) -> None:
    give(sprint, extra=0)
    Phase.objects.create(challenge=sprint, slug="next", position=1, opens_at=CLOSES)

    def line(participant: str, phase: str = "") -> NewAttempt:
        return NewAttempt(participant=participant, metrics={"succeeded": True}, phase=phase)

    news = [line("atlas", "main"), line("nova", "main"), line("atlas"), line("nova")]
    bulk = submit_many(challenge=sprint, user=bob, news=news, received_at=CLOSES)
    assert [(at, error.code) for at, error in bulk.rejected] == [(1, "closed")]
    stored = Attempt.objects.order_by("pk").values_list("phase__slug", "agreed_until")
    assert list(stored) == [("main", UNTIL), ("next", None), ("next", None)]


@pytest.mark.usefixtures("names")
def test_a_late_attempt_can_be_chosen_until_final_scores_are_known(
    sprint: Challenge, phase: Phase, bob: User, submit_at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(sprint)
    sprint.phases.update(counting="chosen")
    late = submit_at(CLOSES)
    monkeypatch.setattr(choosing, "received_now", lambda: CLOSES + INSTANT)
    choose(late, user=bob, organiser=False)
    sprint.phases.update(final_at=CLOSES)
    other = submit_at(CLOSES)
    assert refusal(lambda: choose(other, user=bob, organiser=False)).code == "conflict"


@pytest.mark.usefixtures("names")
def test_extra_attempts_for_all_are_added_to_those_of_one(
    sprint: Challenge, phase: Phase, bob: User, submit_at: At
) -> None:
    sprint.phases.update(total=1, limits_per="name")
    give(sprint, until=None, participant=None, extra=2)
    give(sprint, until=None)
    for participant, allowed in (("atlas", 4), ("nova", 3)):
        for _ in range(allowed):
            submit_at(NOON, participant)
        assert refusal(partial(submit_at, NOON, participant)).code == "quota"
    news = [NewAttempt(participant="nova", metrics={"succeeded": True})]
    bulk = submit_many(challenge=sprint, user=bob, news=news, received_at=NOON)
    assert [error.code for _, error in bulk.rejected] == ["quota"]
    ids = list(Participant.objects.order_by("slug").values_list("pk", flat=True))
    assert list(extras_of(phase, ids, NOON).values()) == [3, 2]
    assert QuotaUse.objects.count() == 2


def test_grants_that_give_nothing_are_refused(sprint: Challenge, phase: Phase) -> None:
    in_time = CLOSES - INSTANT
    for fields, field in (
        ({"extra": 0, "until": in_time}, "extra"),
        ({"extra": 0, "until": None, "participant": None}, "extra"),
        ({"participant": None}, "until"),
    ):
        given: dict[str, Any] = {"participant": None, **fields}
        assert list(refusal(partial(give, sprint, **given)).fields) == [field]
