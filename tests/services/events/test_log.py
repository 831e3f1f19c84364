"""The log of a challenge: what is written, that it has no gaps, and what breaks its chain."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from hashlib import sha256

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.db.models import QuerySet
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, Event, EventLog, LogAnchor, Registration, User
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.challenges.challenges import change_challenge, publish_challenge
from leaderboard.services.challenges.drafts import create_draft
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.organisers.announcements import announce
from leaderboard.services.competition.organisers.marks import verify
from leaderboard.services.competition.participants.disqualification import disqualify
from leaderboard.services.competition.participants.names import rename
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.schedule.passed_dates import record_passed_dates
from leaderboard.services.events import anchors
from leaderboard.services.events.record import EventKind, NewEvent, record_event, record_events
from leaderboard.services.events.verifying import faults_of
from leaderboard.services.scoring import single
from leaderboard.services.scoring.attempt_actions import act
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from leaderboard.services.standing.condition_sets import publish_rules
from tests.services.conftest import Submit
from tests.services.threads import at_once

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]
TICK = timedelta(milliseconds=1)


def kinds(challenge: Challenge) -> list[str]:
    return [event.code for event in Event.objects.filter(challenge=challenge).order_by("seq")]


def faults(challenge: Challenge) -> list[str]:
    return list(faults_of(challenge.pk))


def season(challenge: Challenge, submit: Submit, by: User) -> Attempt:
    """Let most kinds of events happen."""
    first = submit(challenge, "atlas", elapsed_ms=900)
    submit(challenge, "briar", elapsed_ms=800)
    single.score_waiting()
    first.refresh_from_db()
    act(first, "withdraw", user=by, organiser=True, reason="a mistake of Ms Quill")
    first.refresh_from_db()
    act(first, "restore", user=by, organiser=True)
    verify(first, {"by": "Ms Quill"}, by=by)
    rename(first.participant, "Quill")
    place = Registration.objects.get(challenge=challenge, participant=first.participant)
    disqualify(place, {"reason": "Quill copied"}, by=by)
    announce(challenge, {"title": "News", "text": "soon"}, by=by)
    config, _ = start_rescore(challenge, user=by)
    work_on(config.pk)
    return first


def test_what_happens_is_in_the_log_and_anyone_can_check_it(
    sprint: Challenge, submit: Submit, alice: User, client: Client
) -> None:
    season(sprint, submit, alice)
    assert kinds(sprint) == [
        *("published", "registered", "received", "registered", "received", "scored", "scored"),
        *("withdrawn", "restored"),
        *("verified", "renamed", "disqualified", "disqualified", "announcement", "version"),
        *("rescore-begun", "rescored", "shown"),
    ]
    assert faults(sprint) == []
    answer = client.get("/c/sprint/log.jsonl")
    link = bytes(32)
    for seq, line in enumerate(answer.content.splitlines(), 1):
        event = json.loads(line)
        body = line.partition(b'"body":')[2][:-1]
        header = f"{event['seq']} {event['at']} {event['kind']}\n".encode()
        committed = sha256(bytes.fromhex(event["blind"]) + body).digest()
        link = sha256(link + header + committed).digest()
        assert (event["seq"], event["link"]) == (seq, link.hex())
    assert answer["ETag"] == f'"{link.hex()}"'
    assert b"Quill" not in answer.content
    assert client.get("/c/sprint/log.jsonl?after=17").content == line + b"\n"
    versions = sprint.configs.order_by("number")
    (old, _), (_, until) = versions.values_list("shown_until", "shown_from")
    assert old == until is not None
    assert not Attempt.objects.filter(received_at=None).exists()


@pytest.mark.parametrize(
    "column", ["body", "secret", "blind", "link", "at", "kind", "salt", "participant"]
)
def test_a_changed_column_is_found_where_it_is(
    sprint: Challenge, submit: Submit, alice: User, column: str
) -> None:
    season(sprint, submit, alice)
    event = Event.objects.get(challenge=sprint, kind=EventKind.WITHDRAWN)
    value = {
        "body": event.body.replace("attempt", "attemqt"),
        "secret": '{"reason":"other"}',
        "at": event.at + timedelta(microseconds=1),
        "kind": EventKind.RESTORED,
        "participant": None,
    }
    Event.objects.filter(pk=event.pk).update(**{column: value.get(column, b"\0" * 32)})
    (fault,) = faults(sprint)
    assert fault.startswith(f"{event.seq}: ")


@pytest.mark.parametrize("column", ["seq", "at", "link", "key"])
def test_a_changed_end_is_found(
    sprint: Challenge, submit: Submit, alice: User, column: str
) -> None:
    season(sprint, submit, alice)
    end = EventLog.objects.get(pk=sprint.pk)
    value = {"seq": end.seq + 1, "at": end.at + TICK}
    EventLog.objects.filter(pk=sprint.pk).update(**{column: value.get(column, b"\0" * 32)})
    assert len(faults(sprint)) == 1


def test_events_that_are_added_during_a_check_are_no_fault(
    sprint: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_event(sprint.pk, EventKind.PHASE, {"at": 1})
    end_before = EventLog.objects.get(pk=sprint.pk)
    record_event(sprint.pk, EventKind.PHASE, {"at": 2})
    with monkeypatch.context() as reads_the_end_before:
        reads_the_end_before.setattr(QuerySet, "first", lambda _rows: end_before)
        assert faults(sprint) == []
    EventLog.objects.filter(pk=sprint.pk).update(seq=end_before.seq, link=end_before.link)
    assert len(faults(sprint)) == 1


def test_erasure_leaves_no_name_and_a_chain_that_verifies(
    sprint: Challenge, submit: Submit, alice: User
) -> None:
    season(sprint, submit, alice)
    erase_account(alice)
    rows = Event.objects.filter(challenge=sprint).values_list("body", "secret")
    assert "Quill" not in str([*rows])
    assert kinds(sprint)[-2:] == ["erased", "erased"]
    assert faults(sprint) == []


def test_a_draft_has_no_log_until_it_is_published(alice: User, sprint: Challenge) -> None:
    fields = {"name": "Later", "scoring_strategy": "fastest", "goal": "g", "description": "d"}
    draft = create_draft(tenant=sprint.tenant, user=alice, fields=fields)
    change_challenge(draft, user=alice, fields={"name": "Later still"})
    assert not EventLog.objects.filter(pk=draft.pk).exists()
    publish_challenge(draft, user=alice)
    assert kinds(draft)[-1:] == ["published"]
    assert faults(draft) == []


def test_a_transaction_that_is_rolled_back_leaves_no_gap(sprint: Challenge) -> None:
    with transaction.atomic():
        record_event(sprint.pk, EventKind.PHASE, {})
        transaction.set_rollback(True)
    record_event(sprint.pk, EventKind.PHASE, {})
    assert kinds(sprint) == ["published", "phase"]
    assert faults(sprint) == []


def test_any_number_of_events_takes_the_same_statements(sprint: Challenge) -> None:
    for number in (1, 200):
        new = [
            NewEvent(EventKind.SCORED, {"values": {"score": at / 7}}, None, at + 1)
            for at in range(number)
        ]
        with transaction.atomic(), CaptureQueriesContext(connection) as context:
            record_events(sprint.pk, new)
        most = 2 if connection.vendor == "postgresql" else 3
        assert len(context.captured_queries) <= most
    assert faults(sprint) == []


@pytest.mark.django_db(transaction=True)
def test_several_writers_at_once_leave_no_gap(sprint: Challenge) -> None:
    def write() -> None:
        for at in range(20):
            with transaction.atomic():
                record_event(sprint.pk, EventKind.PHASE, {"at": at})

    at_once([write] * 3)
    assert len(kinds(sprint)) == 61
    assert faults(sprint) == []


def test_a_freeze_hides_all_that_comes_after_it(
    sprint: Challenge, submit: Submit, alice: User, client: Client
) -> None:
    def log() -> bytes:
        cache.clear()
        return client.get("/c/sprint/log.jsonl").content

    submit(sprint, "atlas", elapsed_ms=900)
    single.score_waiting()
    sprint.phases.update(freezes_at=timezone.now())
    Challenge.objects.filter(pk=sprint.pk).update(is_restricted=True)
    frozen = log()
    assert frozen.count(b"\n") == 4
    submit(sprint, "briar", elapsed_ms=800)
    single.score_waiting()
    announce(sprint, {"title": "News", "text": "soon"}, by=alice)
    assert log() == frozen
    sprint.phases.update(reveals_at=timezone.now())
    assert log().startswith(frozen)
    assert log().count(b"\n") == 8
    sprint.phases.update(freezes_at=None, reveals_at=None, scores_visibility="own")
    assert log() == b""


def test_an_anchor_proves_the_ends_of_logs(sprint: Challenge, client: Client) -> None:
    anchors._done.clear()
    assert anchors.publish_anchor()
    assert not anchors.publish_anchor()
    (day,) = client.get("/log/anchors.json").json()["anchors"]
    end = EventLog.objects.get(pk=sprint.pk)
    leaf = sha256(f"{sprint.pk} {end.seq} {bytes(end.link).hex()}".encode()).hexdigest()
    assert day["leaves"] == [leaf]
    assert day["root"] == sha256(f"{leaf}\n".encode()).hexdigest()
    assert faults(sprint) == []
    LogAnchor.objects.update(leaves=[leaf[::-1]])
    assert len(faults(sprint)) == 2
    LogAnchor.objects.update(leaves=[leaf], heads={})
    assert len(faults(sprint)) == 1


def test_registrations_rules_and_dates_that_pass_are_in_the_log(
    sprint: Challenge, submit: Submit, alice: User
) -> None:
    submit(sprint, "atlas", elapsed_ms=900)
    submit(sprint, "atlas", elapsed_ms=800)
    publish_rules(sprint, [], by=alice)
    publish_rules(sprint, [], by=alice)
    register(sprint, User.objects.create_user("cleo"), {"participant": "cleo"})
    now = received_now()
    earlier, later = now - 2 * TICK, now - TICK
    sprint.phases.update(opens_at=earlier, closes_at=later, grace_seconds=900)
    assert record_passed_dates() == 1
    sprint.phases.update(grace_seconds=0)
    assert record_passed_dates() == 1
    assert record_passed_dates() == 0
    sprint.phases.update(closes_at=now)
    assert record_passed_dates() == 1
    assert kinds(sprint) == [
        *("published", "registered", "received", "received", "conditions", "registered"),
        *("opened", "closed", "closed"),
    ]
    event = Event.objects.get(challenge=sprint, kind=EventKind.OPENED)
    moment = datetime.fromisoformat(json.loads(event.body)["moment"])
    assert (moment, moment <= event.at) == (sprint.phases.get().opens_at, True)
    # What passed before the log began is a part of its beginning.
    sprint.phases.update(opens_at=timezone.now() - timedelta(days=9))
    assert record_passed_dates() == 0
    assert faults(sprint) == []


@pytest.mark.django_db(transaction=True)
def test_several_workers_write_a_date_once(sprint: Challenge) -> None:
    sprint.phases.update(opens_at=received_now())
    at_once([record_passed_dates] * 4)
    assert kinds(sprint) == ["published", "opened"]
