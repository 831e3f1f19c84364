"""Notices: who is told of what, by which way, once, and nothing that they may not see."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.models import (
    Attempt,
    BoardCertainty,
    Challenge,
    EventLog,
    Notice,
    OutgoingMail,
    Tenant,
    User,
)
from leaderboard.rules.ids import least_id
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board.certainty.computing import look_after_certainty
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.mail import outbox
from leaderboard.services.competition.organisers.announcements import announce
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.competition.schedule.passed_dates import record_passed_dates
from leaderboard.services.notices import mailing
from leaderboard.services.notices.concerned import MOST_OWN
from leaderboard.services.notices.mailing import mail_notices
from leaderboard.services.notices.making import next_morning
from leaderboard.services.notices.reading import (
    forget_old_notices,
    mark_read,
    notices_of,
    switch_mail_off,
    unread_count,
)
from leaderboard.services.notices.relay import relay_notices
from leaderboard.services.notices.texts import path_of, sentence_of
from leaderboard.services.scoring import single
from leaderboard.services.standing.condition_sets import publish_rules
from leaderboard.services.standing.rejudging import sweep_verdicts
from tests.people import organiser_of

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


@pytest.fixture
def ann(tenant: Tenant) -> User:
    return organiser_of(tenant, "ann", email="ann@podium.example")


@pytest.fixture
def bob(bob: User, settings: Any) -> User:
    settings.PUBLIC_URL = "https://podium.example"
    bob.email = "bob@podium.example"
    bob.save()
    return bob


def scored(challenge: Challenge, user: User, name: str, elapsed_ms: int) -> Attempt:
    facts = {"succeeded": True, "elapsed_ms": elapsed_ms}
    attempt, _ = submit_attempt(challenge=challenge, user=user, new=NewAttempt(name, metrics=facts))
    while single.score_waiting():
        pass
    return attempt


def new_notices(user: User) -> list[str]:
    """What a user has been told since the last call."""
    relay_notices()
    rows = list(notices_of(user).filter(read_at=None).order_by("pk"))
    mark_read(user)
    assert all(sentence_of(row) and path_of(row) for row in rows)
    return [row.what for row in rows]


@contextmanager
def chosen(user: User, **ways: str) -> Iterator[None]:
    user.notice_ways = ways
    user.save()
    yield
    user.notice_ways = {}
    user.save()


def test_people_are_told_of_what_concerns_them_once(
    sprint: Challenge, ann: User, bob: User
) -> None:
    cleo, stranger = User.objects.create_user("cleo"), User.objects.create_user("stranger")
    scored(sprint, bob, "bolt", 900)
    assert new_notices(bob) == ["scored"]
    scored(sprint, bob, "bolt", 800)
    scored(sprint, bob, "bolt", 700)
    relay_notices()
    (notice,) = notices_of(bob).filter(read_at=None)
    assert (notice.body["count"], unread_count(bob)) == (2, 1)
    assert new_notices(bob) == ["scored"]
    announce(sprint, {"title": "News {from} us", "text": ""}, by=ann)
    sprint.phases.update(opens_at=received_now())
    record_passed_dates()
    declare_rules(sprint, {"mode": "approval"}, by=ann)
    register(sprint, cleo, {"participant": "cleo"})
    assert new_notices(bob) == ["announced", "opened"]
    assert new_notices(ann) == ["registered"]
    assert new_notices(cleo) == new_notices(stranger) == new_notices(bob) == new_notices(ann) == []
    # A relay that was killed before it noted how far it came tells nobody twice.
    EventLog.objects.update(relayed=0)
    assert new_notices(ann) == []
    for way in ("announcements", sprint.pk.hex):
        with chosen(bob, **{way: "off"}):
            announce(sprint, {"title": f"Not {way}", "text": ""}, by=ann)
            assert new_notices(bob) == []


def test_a_change_of_rules_that_unseats_somebody_is_told(
    sprint: Challenge, ann: User, bob: User
) -> None:
    for name in ("bolt", "volt"):
        scored(sprint, bob, name, 900)
    assert new_notices(bob) == ["scored"]
    publish_rules(sprint, [{"rule": "declared", "fields": ["licence"]}], by=ann)
    sweep_verdicts()
    relay_notices()
    assert [row.body["count"] for row in notices_of(bob).filter(read_at=None)] == [2]
    assert new_notices(bob) == ["judged"]


def test_who_submits_for_others_is_not_told_of_results(sprint: Challenge, ann: User) -> None:
    for number in range(MOST_OWN + 1):
        scored(sprint, ann, f"model-{number}", 900 + number)
    assert new_notices(ann) == []


def test_where_nothing_happened_nothing_is_read(sprint: Challenge) -> None:
    relay_notices()
    with CaptureQueriesContext(connection) as context:
        assert relay_notices() == 0
    assert len(context.captured_queries) == 3


def test_a_freeze_hides_results_and_ranks(sprint: Challenge, bob: User, alice: User) -> None:
    scored(sprint, bob, "bolt", 900)
    scored(sprint, alice, "atlas", 950)
    look_after_certainty()
    assert new_notices(bob) == ["scored"]
    last = Attempt.objects.latest("submitted_at").submitted_at
    freeze = last + timedelta(microseconds=1)
    sprint.phases.update(freezes_at=freeze, own_while_frozen=False)
    Challenge.objects.filter(pk=sprint.pk).update(is_restricted=True)
    scored(sprint, bob, "bolt", 890)
    scored(sprint, alice, "atlas", 500)
    look_after_certainty()
    assert new_notices(bob) == []
    sprint.phases.update(freezes_at=None)
    assert new_notices(bob) == ["rank"]
    assert notices_of(bob).get(what="rank").body["rank"] == 2


def test_a_lost_rank_is_told_once_an_hour_to_whom_it_was_taken(
    sprint: Challenge, bob: User, alice: User
) -> None:
    for number in range(2):
        scored(sprint, bob, "bolt", 900)
        look_after_certainty()
        assert new_notices(bob) == ["scored"]
        scored(sprint, alice, f"atlas-{number}", 800 - number)
        look_after_certainty()
        assert new_notices(bob) == ["rank"][number:]
    ranked = notices_of(bob).get(what="rank")
    assert "(" not in sentence_of(ranked)
    ranked.body |= {"best": 2, "worst": 5}  # as on boards with intervals
    assert "2 to 5" in sentence_of(ranked)
    hour = timedelta(hours=1, seconds=1)
    BoardCertainty.objects.update(told_at=timezone.now() - hour)
    assert new_notices(bob) == ["rank"]
    assert new_notices(bob) == []


def test_mail_is_sent_at_once_or_in_the_morning_and_survives_a_kill(
    sprint: Challenge, ann: User, bob: User, django_capture_on_commit_callbacks: Any
) -> None:
    with chosen(bob, attempts="now", announcements="daily"):
        scored(sprint, bob, "bolt", 900)
        announce(sprint, {"title": "News", "text": ""}, by=ann)
        relay_notices()
    assert mailing._mail_to(bob.pk)  # and the process is killed before it sends
    assert not mailing._mail_to(bob.pk)
    (waiting,) = OutgoingMail.objects.all()
    assert outbox._claimed() == waiting  # and another one while it sends
    mail_notices()
    assert mail.outbox == []
    OutgoingMail.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    mail_notices()
    (first,) = mail.outbox
    assert first.to == ["bob@podium.example"]
    assert OutgoingMail.objects.count() == 0
    notices_of(bob).filter(what="announced").update(mail_at=timezone.now() - timedelta(seconds=1))
    with django_capture_on_commit_callbacks(execute=True):
        mail_notices()
        mail_notices()
    assert len(mail.outbox) == 2
    assert "News" in mail.outbox[1].subject
    # RFC 8058: one click, without signing in.
    headers = mail.outbox[1].extra_headers
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    address = headers["List-Unsubscribe"].strip("<>")
    assert address.startswith("https://podium.example/notices/off/")
    with chosen(bob, attempts="now", announcements="daily"):
        assert not switch_mail_off("forged")
        assert switch_mail_off(address.split("/")[-2])
        bob.refresh_from_db()
        assert bob.notice_ways == {"attempts": "now", "announcements": "page"}


def test_a_morning_is_that_of_the_reader() -> None:
    night = datetime(2026, 3, 28, 23, 30, tzinfo=UTC)
    zones = ("Europe/Berlin", "Asia/Tokyo", "America/New_York")
    mornings = [next_morning(night, zone).astimezone(UTC) for zone in zones]
    # In Berlin the clocks change in that night.
    expected = ["2026-03-29T06:00", "2026-03-29T23:00", "2026-03-29T12:00"]
    assert [f"{morning:%Y-%m-%dT%H:%M}" for morning in mornings] == expected


def test_notices_end_with_their_time_and_their_user(sprint: Challenge, bob: User) -> None:
    scored(sprint, bob, "bolt", 900)
    assert new_notices(bob) == ["scored"]
    cache.clear()
    new = notices_of(bob).get()
    old = Notice(user=bob, challenge=sprint, key="old", kind="attempts", what="scored")
    old.pk = least_id(timezone.now() - timedelta(days=91))
    old.save(force_insert=True)
    assert forget_old_notices() == 1
    assert notices_of(bob).get() == new
    erase_account(bob)
    assert not Notice.objects.exists()
