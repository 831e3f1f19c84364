"""The end of a phase of a challenge with private tasks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.models import AuditEntry, Challenge, PublicRank, Tenant, User
from leaderboard.schemas.advances import AdvanceFields
from leaderboard.services.attempts.advance import advance
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board.boards import board_of, shown_boards
from leaderboard.services.board.reading.ranking import every_row
from leaderboard.services.challenges import finals
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.challenges.finals import begin_finals
from leaderboard.services.challenges.scoring_configs import next_config
from leaderboard.services.competition.schedule.ending import confirm_end
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring import single
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from tests.services.challenges.splitting import (
    close,
    compute_finals,
    rewards,
    split_challenge,
    values,
)
from tests.services.conftest import Rows, Run
from tests.services.refusals import refusal

pytestmark = pytest.mark.django_db


@pytest.fixture
def ended(tenant: Tenant, run: Run) -> Challenge:
    """A challenge with final scores: atlas has solved a public task and a private one."""
    challenge = split_challenge(tenant)
    run(challenge, "atlas", task_rewards=rewards(["t1", "t4"]))
    close(challenge)
    compute_finals(challenge)
    return challenge


def test_a_frozen_phase_ends_when_it_is_revealed(tenant: Tenant, run: Run) -> None:
    challenge = split_challenge(tenant)
    run(challenge, "atlas", task_rewards=rewards(["t1"]))
    assert compute_finals(challenge) == 0
    close(challenge)
    earlier = timezone.now() - timedelta(hours=1)
    challenge.phases.update(freezes_at=earlier)
    assert compute_finals(challenge) == 0
    challenge.phases.update(reveals_at=timezone.now() - timedelta(minutes=1))
    assert compute_finals(challenge) == 1
    assert compute_finals(challenge) == 0
    assert challenge.shown.number == 2


def test_the_end_waits_for_attempts_that_were_sent_in_time(
    tenant: Tenant, alice: User, run: Run, rows: Rows
) -> None:
    challenge = split_challenge(tenant)
    run(challenge, "atlas", task_rewards=rewards(["t1"]))
    new = NewAttempt(participant="nova", task_rewards=rewards(["t4"]))
    late, _ = submit_attempt(challenge=challenge, user=alice, new=new)
    close(challenge)
    assert compute_finals(challenge) == 0
    single.score_attempt(late.pk)
    assert compute_finals(challenge) == 1
    assert values(rows, challenge) == {"nova": pytest.approx(0.2), "atlas": pytest.approx(0.0)}


def test_a_challenge_without_attempts_ends_too(tenant: Tenant) -> None:
    challenge = split_challenge(tenant)
    close(challenge)
    assert compute_finals(challenge) == 1
    assert challenge.shown.number == 2
    assert challenge.shown.final_parts == {str(challenge.phases.get().pk): "private"}


def test_a_failing_challenge_does_not_stop_the_others(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = split_challenge(tenant), split_challenge(tenant, name="Another", slug="another")
    refused: list[Challenge] = []

    def next_of_one(challenge: Challenge, *given: Any, **named: Any) -> Any:
        if not refused or challenge == refused[0]:
            refused.append(challenge)
            raise ServiceError("invalid", "its tasks are gone")
        return next_config(challenge, *given, **named)

    monkeypatch.setattr(finals, "next_config", next_of_one)
    close(first)
    close(second)
    assert begin_finals() == 1
    assert len(refused) == 1
    monkeypatch.undo()
    assert begin_finals() == 1


def test_each_phase_ends_by_itself(tenant: Tenant, alice: User, rows: Rows) -> None:
    now = timezone.now()
    phases = [
        {"slug": "one", "closes_at": (now + timedelta(hours=1)).isoformat()},
        {"slug": "two", "opens_at": (now + timedelta(hours=1)).isoformat()},
    ]
    challenge = split_challenge(tenant, phases=phases)
    for hours in (0, 2):
        new = NewAttempt(participant="atlas", task_rewards=rewards(["t1", "t2", "t5"]))
        at = now + timedelta(hours=hours)
        attempt, _ = submit_attempt(challenge=challenge, user=alice, new=new, received_at=at)
        single.score_attempt(attempt.pk)
    challenge.phases.filter(slug="one").update(closes_at=now)
    assert compute_finals(challenge) == 1
    boards = shown_boards(challenge)
    means = {
        slug: [row.values["mean"] for row in every_row(board)]
        for slug in ("one", "two")
        if (board := board_of(boards, slug))
    }
    assert means == {"one": [pytest.approx(1 / 5)], "two": [pytest.approx(2 / 3)]}


def test_a_later_change_of_the_scoring_keeps_final_scores(ended: Challenge, rows: Rows) -> None:
    challenge = change_challenge(ended, user=None, fields={"metrics": ["mean", "max"]})
    config, _ = start_rescore(challenge)
    work_on(config.pk)
    assert values(rows, challenge) == {"atlas": pytest.approx(1 / 5)}
    assert PublicRank.objects.count() == 1


@pytest.mark.usefixtures("ended")
def test_a_copy_of_a_config_ends_with_its_own_phases(tenant: Tenant) -> None:
    other = split_challenge(tenant, name="Another", slug="another")
    assert other.newest.final_parts == {}


def test_only_final_ranks_move_into_the_next_phase(tenant: Tenant, run: Run) -> None:
    now = timezone.now()
    phases = [
        {"slug": "one", "closes_at": (now + timedelta(hours=1)).isoformat()},
        {"slug": "two", "opens_at": (now + timedelta(hours=1)).isoformat()},
    ]
    challenge = split_challenge(tenant, phases=phases)
    run(challenge, "atlas", task_rewards=rewards(["t1"]))
    run(challenge, "nova", task_rewards=rewards(["t4"]))
    close(challenge, "one")
    phase = challenge.phases.get(slug="one")
    error = refusal(lambda: advance(phase, AdvanceFields(best=1), user=None))
    assert "not computed yet" in error.message
    compute_finals(challenge)
    (moved,) = advance(phase, AdvanceFields(best=1), user=None).moved
    assert moved.participant.handle == "nova"


def test_an_ended_phase_cannot_open_again(ended: Challenge) -> None:
    later = (timezone.now() + timedelta(days=1)).isoformat()
    for phase in ({"closes_at": later}, {}, {"final_part": "all"}):
        with pytest.raises(ServiceError, match="final scores"):
            change_challenge(ended, user=None, fields={"phases": [phase]})


@pytest.mark.parametrize("field", ["closes_at", "reveals_at", "final_part"])
def test_a_changed_end_can_be_taken_back_until_it_is_confirmed_or_old(
    tenant: Tenant, field: str
) -> None:
    now = timezone.now()
    moments = {
        "opens_at": now - timedelta(hours=3),
        "closes_at": now + timedelta(hours=5),
        **({"freezes_at": now - timedelta(hours=2)} if field == "reveals_at" else {}),
    }
    if field != "closes_at":
        moments["closes_at"] = now - timedelta(hours=1)
    right = {name: at.isoformat() for name, at in moments.items()}
    right |= {"final_part": "public"} if field == "final_part" else {}
    past = (now - timedelta(minutes=1)).isoformat()
    mistaken = {**right, field: "private" if field == "final_part" else past}
    challenge = split_challenge(tenant, phases=[right])

    def change(phase: dict[str, Any]) -> None:
        change_challenge(challenge, user=None, fields={"phases": [phase]})

    change(mistaken)
    assert compute_finals(challenge) == 0
    change(right)
    assert compute_finals(challenge) == 0
    change(mistaken)
    if field == "closes_at":
        confirm_end(challenge.phases.get(), user=None)
        assert AuditEntry.objects.filter(public=True, after__finals_wait_until=None).exists()
    else:
        challenge.phases.update(finals_wait_until=now - timedelta(seconds=1))
    assert compute_finals(challenge) == 1
    refusal(lambda: confirm_end(challenge.phases.get(), user=None))
