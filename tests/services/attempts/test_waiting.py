"""Limits on waiting attempts: of one participant, of one tenant, and when clients may try again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Attempt, Challenge, Participant, Registration, Tenant, User, bulk
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt, submit_many
from leaderboard.services.attempts.waiting import AT_ONCE, RETRY_AFTER
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.competition.participants import participant_batch
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring import single
from tests.services.conftest import Submit
from tests.services.refusals import refusal
from tests.services.threads import at_once


def bring(challenge: Challenge, user: User, *participants: str, organiser: bool = False) -> int:
    news = [NewAttempt(name, {"elapsed_ms": 5}) for name in participants]
    return len(submit_many(challenge=challenge, user=user, news=news, organiser=organiser).accepted)


def sent_at_once(names: Sequence[str], send: Callable[[str], object]) -> list[str]:
    """Send for these names in as many threads; return the codes of the refusals."""
    together = threading.Barrier(len(names))

    def code_of_refusal(name: str) -> str | None:
        together.wait()
        try:
            send(name)
        except ServiceError as error:
            return error.code
        return None

    return [code for code in at_once([partial(code_of_refusal, name) for name in names]) if code]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("limit", "names", "lines"),
    [
        ("MAX_WAITING_TENANT", [f"p{number}" for number in range(16)], 1),
        ("MAX_WAITING", ["atlas"] * 16, 1),
        ("MAX_WAITING_TENANT", [f"p{number}" for number in range(4)], 3),
    ],
)
def test_simultaneous_requests_do_not_exceed_a_limit(
    sprint: Challenge, alice: User, settings: Any, limit: str, names: list[str], lines: int
) -> None:
    bring(sprint, alice, *["atlas"] * 9, organiser=False)
    setattr(settings, limit, 10 if lines == 1 else 13)

    def send(name: str) -> None:
        if lines == 1:
            new = NewAttempt(name, {"elapsed_ms": 5})
            submit_attempt(challenge=sprint, user=alice, new=new)
        else:
            bring(sprint, alice, *[name] * lines)

    refused = sent_at_once(names, send)
    assert Attempt.objects.count() == 9 + lines
    assert refused == ["throttled"] * (len(names) - 1)


@pytest.mark.django_db(transaction=True)
def test_simultaneous_requests_of_a_new_participant_do_not_exceed_the_limit(
    sprint: Challenge, alice: User, settings: Any
) -> None:
    settings.MAX_WAITING = 3
    refused = sent_at_once(["newcomer"] * 8, lambda name: bring(sprint, alice, name))
    assert Attempt.objects.count() == 3
    assert refused == ["throttled"] * 5


def test_attempts_of_a_participant_that_another_request_has_just_made_count(
    sprint: Challenge, alice: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MAX_WAITING = 5
    insert = bulk.insert_missing

    def after_another(*args: Any) -> int:
        monkeypatch.setattr(participant_batch, "insert_missing", insert)
        assert bring(sprint, alice, *["newcomer"] * 5) == 5
        return insert(*args)

    monkeypatch.setattr(participant_batch, "insert_missing", after_another)
    throttled(bring, sprint, alice, "newcomer")


def test_a_name_that_another_request_makes_after_it_was_looked_up_is_not_another_name(
    sprint: Challenge, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a quota, a user takes part under one name."""
    sprint.phases.update(total=100)
    find = participant_batch.ParticipantBatch._existing

    def before_another(self: Any, keys: Any) -> Any:
        existing_participants = list(find(self, keys))
        monkeypatch.setattr(participant_batch.ParticipantBatch, "_existing", find)
        bring(sprint, alice, "newcomer")
        return existing_participants

    monkeypatch.setattr(participant_batch.ParticipantBatch, "_existing", before_another)
    assert bring(sprint, alice, "newcomer", "newcomer") == 2
    accepted = bring(sprint, alice, "a second name")
    assert accepted == 0


@pytest.mark.django_db(transaction=True)
def test_single_attempts_and_batches_with_quotas_do_not_wait_for_one_another(
    sprint: Challenge, alice: User, settings: Any
) -> None:
    """Both hold the places of the tenant before the counters of participants: no deadlock."""
    sprint.phases.update(total=1000, per_day=1000)
    settings.MAX_WAITING = settings.MAX_WAITING_TENANT = 60

    def send_batches() -> None:
        for _ in range(5):
            bring(sprint, alice, "atlas", "atlas")

    def send_one_by_one() -> None:
        for _ in range(5):
            new = NewAttempt("atlas", {"elapsed_ms": 5})
            submit_attempt(challenge=sprint, user=alice, new=new)

    at_once([send_batches, send_one_by_one] * 3)
    assert Attempt.objects.count() == 3 * 5 * 3


def throttled(work: Any, *args: Any) -> str:
    error = refusal(lambda: work(*args))
    assert (error.code, error.retry_after) == ("throttled", RETRY_AFTER)
    return error.message


def test_waiting_attempts_of_a_participant_are_limited(
    sprint: Challenge, submit: Submit, alice: User, settings: Any
) -> None:
    settings.MAX_WAITING = 3
    for _ in range(3):
        submit(sprint, "atlas")
    assert "3 attempts of a participant" in throttled(submit, sprint, "atlas")
    submit(sprint, "boreas")
    assert single.score_next()
    submit(sprint, "boreas")
    assert Attempt.objects.count() == 5


def test_each_line_of_a_batch_counts(sprint: Challenge, alice: User, settings: Any) -> None:
    settings.MAX_WAITING = 3
    throttled(bring, sprint, alice, *["atlas"] * 4)
    assert not Attempt.objects.exists(), "nothing of it is taken"
    assert bring(sprint, alice, "atlas", "boreas", "atlas", "boreas", "atlas") == 5
    assert bring(sprint, alice, "atlas", "cirrus", "atlas") == 1, "that of cirrus"
    throttled(bring, sprint, alice, "atlas", "atlas")


def test_lines_beyond_the_limit_make_no_participant(
    sprint: Challenge, alice: User, settings: Any
) -> None:
    settings.MAX_WAITING = 2
    wrong = refused_lines(sprint, alice, "ada", "ada", "ada", "ben")
    assert [position for position, _ in wrong] == [0, 1, 2]
    assert [participant.handle for participant in Participant.objects.all()] == ["ben"]
    assert Registration.objects.get().participant.handle == "ben"
    assert refused_lines(sprint, alice, "ada", "ada") == []


def test_lines_that_a_quota_refuses_do_not_count(
    sprint: Challenge, alice: User, settings: Any
) -> None:
    """Waiting would not help them, so they are not told to try again in a while."""
    settings.MAX_WAITING = 5
    sprint.phases.update(total=3)
    codes = [refused.code for _, refused in refused_lines(sprint, alice, *["atlas"] * 6)]
    assert codes == ["quota"] * 3
    assert Attempt.objects.count() == 3
    codes = [refused.code for _, refused in refused_lines(sprint, alice, *["atlas"] * 6)]
    assert codes == ["quota"] * 6
    sprint.phases.update(total=11)
    codes = [refused.code for _, refused in refused_lines(sprint, alice, *["atlas"] * 9)]
    assert codes == ["throttled"] * 8 + ["quota"]
    assert bring(sprint, alice, "atlas", "atlas") == 2, "those that were throttled used up nothing"


def refused_lines(challenge: Challenge, user: User, *names: str) -> list[tuple[int, ServiceError]]:
    """Send attempts in bulk; returns the refused ones."""
    return submit_many(challenge=challenge, user=user, news=[NewAttempt(n) for n in names]).rejected


def test_waiting_attempts_of_a_tenant_are_limited(
    sprint: Challenge, submit: Submit, alice: User, settings: Any
) -> None:
    settings.MAX_WAITING_TENANT = 4
    assert bring(sprint, alice, "a", "b", "c") == 3
    throttled(bring, sprint, alice, "d", "e")
    assert bring(sprint, alice, "d") == 1
    assert "an organisation" in throttled(submit, sprint, "e")
    other = Tenant.objects.create(slug="other", name="Other")
    fields = {"name": "Elsewhere", "scoring_strategy": "fastest"}
    submit(create_challenge(tenant=other, user=alice, fields=fields), "e")


def test_the_limits_can_be_turned_off(sprint: Challenge, alice: User, settings: Any) -> None:
    settings.MAX_WAITING = 1
    settings.MAX_WAITING_TENANT = None
    assert bring(sprint, alice, "a", "b", "c") == 3
    throttled(bring, sprint, alice, "a")
    settings.MAX_WAITING = None
    assert bring(sprint, alice, "a", "a", "a") == 3
    settings.MAX_WAITING_TENANT = 6
    throttled(bring, sprint, alice, "a")


def test_far_from_the_limits_no_further_statement_runs(
    sprint: Challenge, submit: Submit, settings: Any
) -> None:
    submit(sprint, "atlas")

    def statements() -> int:
        with CaptureQueriesContext(connection) as queries:
            submit(sprint, "atlas")
        return len(queries)

    far = statements()
    settings.MAX_WAITING = AT_ONCE + 2
    assert statements() == far
    near = far + (2 if connection.vendor == "postgresql" else 0)
    assert statements() == near


def test_organisers_are_exempt(sprint: Challenge, alice: User, settings: Any) -> None:
    settings.MAX_WAITING = settings.MAX_WAITING_TENANT = 1
    assert bring(sprint, alice, *["atlas"] * 5, organiser=True) == 5
    for _ in range(2):
        new = NewAttempt("atlas", {"elapsed_ms": 5})
        submit_attempt(challenge=sprint, user=alice, new=new, organiser=True)


def test_history_does_not_count_towards_the_limits(
    sprint: Challenge, submit: Submit, alice: User, settings: Any
) -> None:
    settings.MAX_WAITING = settings.MAX_WAITING_TENANT = 2
    bring(sprint, alice, *["atlas"] * 5, organiser=True)
    submit(sprint, "atlas")
    submit(sprint, "atlas")
    throttled(submit, sprint, "atlas")
