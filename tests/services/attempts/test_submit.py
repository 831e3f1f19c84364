from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from leaderboard.models import Attempt, Challenge, Participant, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt, submit_many
from leaderboard.services.challenges.challenges import change_challenge
from tests.services.conftest import Create, Submit
from tests.services.refusals import check_refusals, refusal

RUN = {"succeeded": True, "elapsed_ms": 900}


def test_an_attempt_is_queued_under_the_newest_config(sprint: Challenge, submit: Submit) -> None:
    attempt = submit(sprint, "Atlas", elapsed_ms=900, created_at=17)
    attempt.refresh_from_db()
    assert attempt.status == "queued"
    assert attempt.scoring_config == sprint.newest
    assert attempt.metrics()["created_at"] == 17
    assert attempt.metrics()["rating"] is None
    assert abs((datetime.now(UTC) - attempt.submitted_at).total_seconds()) < 60


def test_workers_are_notified_after_commit(
    sprint: Challenge,
    submit: Submit,
    notifications: list[tuple[Any, ...]],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        attempt = submit(sprint, "Atlas", elapsed_ms=900)
        assert notifications == []
    assert notifications == [("score_attempt", str(attempt.pk))]


def test_names_that_differ_in_case_and_width_are_the_same(
    sprint: Challenge, submit: Submit
) -> None:
    for name in ("Atlas", "ATLAS", " atlas ", "Ａtlas"):
        submit(sprint, name, elapsed_ms=1)
    assert [participant.handle for participant in Participant.objects.all()] == ["Atlas"]


def test_names_with_invisible_characters_are_refused(sprint: Challenge, submit: Submit) -> None:
    names = ("", "   ", "a\x00b", "a\u202eb", "a\u200bb", "x" * 121, "a\nb", "\ud800")
    check_refusals(
        lambda name: submit(sprint, name, elapsed_ms=1), [(name, "participant") for name in names]
    )
    assert not Attempt.objects.exists()


def test_names_without_ascii_have_slugs_of_their_own(sprint: Challenge, submit: Submit) -> None:
    names = ("森田", "森", "a b", "a-b")
    slugs = {submit(sprint, name, elapsed_ms=1).participant.slug for name in names}
    assert len(slugs) == 4
    assert "a-b" in slugs


def test_a_participant_belongs_to_its_first_user(
    sprint: Challenge, submit: Submit, bob: User
) -> None:
    submit(sprint, "atlas", elapsed_ms=900)
    new = NewAttempt(participant="atlas", metrics=RUN)
    error = refusal(lambda: submit_attempt(challenge=sprint, user=bob, new=new))
    assert error.code == "permission_denied"
    assert submit_attempt(challenge=sprint, user=bob, new=new, organiser=True)[1]


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_a_single_attempt_and_a_bulk_find_the_same_participants(
    create: Create, sprint: Challenge, alice: User, submit: Submit, visibility: str
) -> None:
    other = create("Other", visibility=visibility)
    names = ["Atlas", "Straße", "name of nobody yet"]
    for name in names[:2]:
        submit(sprint, name)
        submit(other, name)
    submit(create("Other", visibility=visibility), "Atlas")

    def participant_ids(challenge: Challenge, *news: str) -> list[int]:
        brought = [NewAttempt(participant=name, metrics=RUN) for name in news]
        accepted = submit_many(challenge=challenge, user=alice, news=brought).accepted
        return [Attempt.objects.get(pk=attempt.pk).participant_id for attempt in accepted]

    for challenge in (sprint, other):
        together = participant_ids(challenge, *names)
        assert together == [submit(challenge, name).participant_id for name in names]


def test_a_closed_challenge_accepts_no_attempts(sprint: Challenge, submit: Submit) -> None:
    change_challenge(sprint, user=None, fields={"is_active": False})
    assert refusal(lambda: submit(sprint, "atlas", elapsed_ms=900)).code == "closed"


def test_an_idempotency_key_is_used_once(sprint: Challenge, alice: User, bob: User) -> None:
    def again(user: User, body: str, participant: str = "atlas") -> tuple[Attempt, bool]:
        return submit_attempt(
            challenge=sprint,
            user=user,
            new=NewAttempt(participant=participant, metrics=RUN),
            idempotency_key="k1",
            body_hash=body,
        )

    first, made = again(alice, "body")
    assert made
    assert again(alice, "body") == (first, False)
    assert refusal(lambda: again(alice, "another body")).code == "conflict"
    assert again(bob, "body", "bobs own")[1], "keys of another user are another user's"


def test_an_atomic_batch_is_saved_completely_or_not_at_all(sprint: Challenge, alice: User) -> None:
    news = [NewAttempt(participant=name, metrics=RUN) for name in ("a", "")]
    bulk = submit_many(challenge=sprint, user=alice, news=news, atomic=True)
    assert (bulk.accepted, len(bulk.rejected)) == ([], 1)
    assert not Attempt.objects.exists()
    assert not Participant.objects.exists()
