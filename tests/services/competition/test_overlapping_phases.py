"""Where several phases are open, an attempt names its own."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

import pytest

from leaderboard.models import Attempt, Challenge, Phase, QuotaUse, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt, submit_many
from leaderboard.services.competition.quotas.state import current_phase, current_phases
from tests.services.competition.moments import CLOSES, NOON, OPENS
from tests.services.refusals import check_refusals, refusal

pytestmark = pytest.mark.django_db


@pytest.fixture
def side(sprint: Challenge, phase: Phase) -> Phase:
    """A second phase, without an end, that is open beside the first."""
    return sprint.phases.create(
        slug="side", position=1, opens_at=NOON, overlaps=True, total=1, per_day=1
    )


def submit(sprint: Challenge, user: User, at: datetime = NOON, **fields: Any) -> Attempt:
    new = NewAttempt("atlas", metrics={"succeeded": True}, **fields)
    return submit_attempt(challenge=sprint, user=user, new=new, received_at=at)[0]


def test_an_attempt_names_its_phase(
    sprint: Challenge, phase: Phase, side: Phase, bob: User
) -> None:
    assert submit(sprint, bob, phase="side").phase == side
    assert submit(sprint, bob, phase="main").phase == phase


def test_without_a_name_it_is_refused_with_the_open_ones(
    sprint: Challenge, side: Phase, bob: User
) -> None:
    error = refusal(lambda: submit(sprint, bob))
    assert (error.code, list(error.fields)) == ("invalid", ["phase"])
    assert "main, side" in error.message
    assert not Attempt.objects.exists()


def test_the_only_open_phase_needs_no_name(
    sprint: Challenge, phase: Phase, side: Phase, bob: User
) -> None:
    assert submit(sprint, bob, OPENS).phase == phase
    assert submit(sprint, bob, CLOSES).phase == side


def test_a_named_phase_has_to_be_open(sprint: Challenge, side: Phase, bob: User) -> None:
    for name, at, code in (("side", OPENS, "not_open"), ("main", CLOSES, "closed")):
        assert refusal(partial(submit, sprint, bob, at, phase=name)).code == code
    check_refusals(
        lambda name: submit(sprint, bob, phase=name),
        [("finals", "phase", "main, side", 'got "finals"')],
    )


def test_each_phase_has_its_own_limits(sprint: Challenge, side: Phase, bob: User) -> None:
    submit(sprint, bob, phase="side")
    assert refusal(lambda: submit(sprint, bob, phase="side")).code == "quota"
    submit(sprint, bob, phase="main")
    assert {*QuotaUse.objects.values_list("phase", flat=True)} == {side.pk}


def test_the_lines_of_a_bulk_may_be_in_several_phases(
    sprint: Challenge, phase: Phase, side: Phase, bob: User
) -> None:
    names = ("side", "main", "", "side")
    news = [NewAttempt("atlas", metrics={"succeeded": True}, phase=name) for name in names]
    bulk = submit_many(challenge=sprint, user=bob, news=news, received_at=NOON)
    phases = [Attempt.objects.get(pk=attempt.pk).phase for attempt in bulk.accepted]
    assert phases == [side, phase]
    assert [(at, error.code) for at, error in bulk.rejected] == [(2, "invalid"), (3, "quota")]


def test_a_bulk_that_is_refused_as_a_whole_counts_nowhere(
    sprint: Challenge, phase: Phase, side: Phase, bob: User
) -> None:
    phase.total = 5
    phase.save()
    news = [NewAttempt("atlas", phase=slug) for slug in ("main", "side", "side")]
    bulk = submit_many(challenge=sprint, user=bob, news=news, received_at=NOON, atomic=True)
    assert (bulk.accepted, [at for at, _ in bulk.rejected]) == ([], [2])
    assert not QuotaUse.objects.filter(used__gt=0).exists()
    assert not Attempt.objects.exists()


def test_organisers_name_any_phase(sprint: Challenge, phase: Phase, side: Phase, bob: User) -> None:
    for at, name, which in ((OPENS, "side", side), (CLOSES, "main", phase)):
        new = NewAttempt("atlas", phase=name)
        attempt, _ = submit_attempt(
            challenge=sprint, user=bob, new=new, received_at=at, organiser=True
        )
        assert attempt.phase == which
    unnamed = NewAttempt("atlas")
    act = partial(submit_attempt, challenge=sprint, user=bob, new=unnamed, received_at=NOON)
    assert list(refusal(partial(act, organiser=True)).fields) == ["phase"]


def test_all_open_phases_are_returned(sprint: Challenge, phase: Phase, side: Phase) -> None:
    assert [current.phase for current in current_phases(sprint, NOON)] == [phase, side]
    assert [current.phase for current in current_phases(sprint, CLOSES)] == [side]
    assert current_phase(sprint, CLOSES, "main") == (phase, "closed")
    assert list(refusal(lambda: current_phase(sprint, NOON, "finals")).fields) == ["phase"]
