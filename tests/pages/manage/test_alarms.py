"""What organisers should look at first, on the first page of Manage."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.models import Challenge, Entry, Participant, Tenant, User
from leaderboard.pages.manage import alarms
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.standing.suspicions import alike_names, copies_on, linked_names
from tests.helpers.attempts import attempt_of
from tests.pages.conftest import Make
from tests.pages.entries import judge
from tests.pages.reading import get, words
from tests.people import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]
PAGE = "/c/cup/manage/"


def enter(
    challenge: Challenge, user: User, name: str, rewards: list[float], days: float = 0
) -> Any:
    samples = [Sample(f"task {at}", 0, {"r": reward}) for at, reward in enumerate(rewards)]
    moment = timezone.now() - timedelta(days=days)
    new = NewAttempt(participant=name, samples=samples, submitted_at=moment)
    return submit_attempt(challenge=challenge, user=user, new=new, organiser=True)[0]


def test_a_copy_has_the_results_of_an_earlier_attempt_by_another_account(
    cup: Challenge, ben: User, zoe: User, ann: User
) -> None:
    enter(cup, ben, "atlas", [0.25, 0.5, 0.75])
    copied = enter(cup, zoe, "bolt", [0.25, 0.5, 0.75])
    enter(cup, ben, "comet", [0.25, 0.5, 0.75])  # of the account that was first
    enter(cup, zoe, "delta", [0.25, 0.5, 0.8])  # not nearly the same
    enter(cup, zoe, "echo", [1.0, 1.0, 1.0])
    enter(cup, ben, "fox", [1.0, 1.0, 1.0])  # anybody may pass everything
    judge()
    (copy,) = copies_on(board_at(cup))
    assert copy == (copied.pk, ("bolt", "atlas"))
    html = get(signed_in(ann), PAGE)
    assert f'href="/attempts/{copied.pk}/"' in html


def test_accounts_are_linked_by_their_mailbox_or_by_a_change_of_team(
    cup: Challenge, tenant: Tenant, ann: User, ben: User, zoe: User
) -> None:
    carl = User.objects.create_user("carl", email="Zoe+2@example.org")
    zoe.email, ann.email = "zoe@example.org", "zoe+organiser@example.org"
    zoe.save()
    ann.save()
    entries = [("atlas", zoe), ("bolt", carl), ("comet", ben), ("delta", ben), ("echo", ann)]
    for name, user in entries:
        participant = Participant.objects.create(
            tenant=tenant, handle=name, handle_key=name, slug=name, owner=ann
        )
        Entry.objects.create(challenge=cup, participant=participant, user=user)
    assert linked_names(cup) == [("atlas", "bolt"), ("comet", "delta")]


def test_names_are_alike_without_signs_and_with_letters_that_are_drawn_alike(
    cup: Challenge, tenant: Tenant, ann: User, ben: User
) -> None:
    for name in ("Model 1.5", "model-l5", "Моdel15", "Model 16", "漢字", "漢"):
        enter(cup, ben, name, [0.5])
    Participant.objects.create(
        tenant=tenant, handle="Model 1-6", handle_key="model 1-6", slug="elsewhere", owner=ann
    )
    assert alike_names(cup) == [["Model 1.5", "model-l5", "Моdel15"]]
    assert "Names that look alike: Model 1.5, model-l5, Моdel15" in words(get(signed_in(ann), PAGE))


def test_a_jump_within_a_week_is_told(
    cup: Challenge, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alarms, "LEAST_JUMP", 2)
    for at, name in enumerate(("atlas", "bolt", "comet", "delta")):
        enter(cup, ann, name, [0.8 - at / 10] * 6, days=20)
    enter(cup, ann, "delta", [0.95, 0.9, 0.95, 0.9, 0.95, 0.9], days=1)
    enter(cup, ann, "comet", [0.75] * 6, days=1)
    judge()
    text = words(get(signed_in(ann), PAGE))
    assert "delta has risen by 3 ranks within a week." in text
    assert "comet has risen" not in text
    assert "has the results" not in text


def test_attempts_that_wait_for_a_review_are_an_alarm(make: Make, ann: User, ben: User) -> None:
    challenge = make("Cup", "fastest", review="all")
    attempt_of(ben, challenge, "atlas", metrics={"elapsed_ms": 5})
    html = get(signed_in(ann), PAGE)
    assert "1 attempt waits for a review." in words(html)
    assert 'href="/c/cup/review/"' in html
