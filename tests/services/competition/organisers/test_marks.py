"""Organisers verify attempts and annotate them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Annotation, Attempt, AuditEntry, Challenge, User, Verification
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.row_filter import RowFilter
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.competition.organisers.marks import (
    RowMarks,
    annotate,
    annotations_of,
    remove_annotation,
    unverify,
    verify,
)
from leaderboard.services.scoring.single import score_waiting
from tests.services.conftest import Submit
from tests.services.refusals import check_refusals, refusal

pytestmark = pytest.mark.django_db


@pytest.fixture
def crowd(sprint: Challenge, submit: Submit) -> Challenge:
    for who, elapsed in (("atlas", 100), ("bolt", 50), ("comet", 200), ("delta", 50)):
        submit(sprint, who, elapsed_ms=elapsed)
    score_waiting()
    return sprint


def attempt_of(who: str) -> Attempt:
    return Attempt.objects.select_related("challenge").get(participant__handle=who)


def verified_rows(challenge: Challenge, **order: Any) -> Iterator[tuple[str, int | None, bool]]:
    board = board_at(challenge)
    for row in ranking.matching(
        board, RowFilter(order.pop("text", ""), verified=True), **order
    ).rows:
        yield row.participant.handle, row.rank, row.tied


def test_a_mark_says_who_when_and_where(crowd: Challenge, alice: User) -> None:
    alice.first_name, alice.last_name = "Alice", "Ames"
    version = board_at(crowd).challenge.board_version
    made = verify(attempt_of("atlas"), {}, by=alice)
    assert (made.name, made.link, made.by) == ("Alice Ames", "", alice)
    assert abs(made.at - datetime.now(UTC)) < timedelta(minutes=1)
    crowd.refresh_from_db()
    assert crowd.has_marks
    assert crowd.board_version > version
    again = {"by": " The lab ", "link": "https://example.org/report?run=7"}
    verify(attempt_of("atlas"), again, by=alice)
    mark = Verification.objects.get()
    assert (mark.name, mark.link) == ("The lab", "https://example.org/report?run=7")
    unverify(attempt_of("atlas"), by=alice)
    assert not Verification.objects.exists()
    assert refusal(lambda: unverify(attempt_of("atlas"), by=alice)).code == "conflict"
    log = AuditEntry.objects.filter(kind="attempt").order_by("pk")
    assert [(entry.before, entry.after) for entry in log] == [
        (None, {"link": "", "verified_by": "Alice Ames"}),
        (
            {"link": "", "verified_by": "Alice Ames"},
            {"link": "https://example.org/report?run=7", "verified_by": "The lab"},
        ),
        ({"link": "https://example.org/report?run=7", "verified_by": "The lab"}, None),
    ]
    assert {entry.participant for entry in log} == {attempt_of("atlas").participant}
    assert verify_standings(crowd) == []


def test_a_link_is_a_web_address_and_a_name_one_line(crowd: Challenge, alice: User) -> None:
    links = (
        "example.org",
        "javascript:alert(1)",
        "ftp://example.org/",
        "https://",
        "https://[",
        "https://a b.org",
        "https://example.org/\n#",
        "https://example.org/" + "x" * 500,
        7,
    )
    names = ("x" * 121, "two\nlines", 5, None)
    cases: list[tuple[Any, ...]] = [({"link": link}, "link") for link in links]
    cases += [({"by": name}, "by") for name in names]
    attempt = attempt_of("atlas")
    check_refusals(lambda fields: verify(attempt, fields, by=alice), cases)
    assert not Verification.objects.exists()


def test_only_a_scored_attempt_is_verified(sprint: Challenge, submit: Submit, alice: User) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=1)
    assert refusal(lambda: verify(attempt, {}, by=alice)).code == "conflict"


def test_rows_are_listed_by_their_marks_with_the_ranks_of_the_board(
    crowd: Challenge, alice: User
) -> None:
    assert list(verified_rows(crowd)) == []
    for who in ("comet", "delta"):
        verify(attempt_of(who), {}, by=alice)
    assert list(verified_rows(crowd)) == [("delta", 1, True), ("comet", 4, False)]
    assert list(verified_rows(crowd, start=1, limit=1)) == [("comet", 4, False)]
    assert list(verified_rows(crowd, text="com")) == [("comet", 4, False)]
    by_time = list(verified_rows(crowd, key="elapsed_ms", descending=True))
    assert by_time == [("comet", 4, False), ("delta", 1, True)]
    assert list(refusal(lambda: list(verified_rows(crowd, key="nothing"))).fields) == ["sort"]


def test_an_older_attempt_that_is_verified_does_not_mark_the_row(
    crowd: Challenge, alice: User, submit: Submit
) -> None:
    verify(attempt_of("comet"), {}, by=alice)
    submit(crowd, "comet", elapsed_ms=1)
    score_waiting()
    crowd.refresh_from_db()
    rows = ranking.page_after(board_at(crowd)).rows
    assert rows[0].participant.handle == "comet"
    assert RowMarks(crowd, rows).verified(rows[0]) is None
    assert list(verified_rows(crowd)) == []


def test_a_challenge_without_marks_takes_no_statement(crowd: Challenge, alice: User) -> None:
    crowd = Challenge.objects.get(pk=crowd.pk)
    attempt, rows = attempt_of("atlas"), ranking.page_after(board_at(crowd)).rows
    with CaptureQueriesContext(connection) as queries:
        marks = RowMarks(crowd, rows)
        assert [marks.verified(row) for row in rows] == [None] * 4
        assert annotations_of(attempt, organiser=True) == ()
    assert len(queries) == 0
    verify(attempt, {}, by=alice)
    crowd.refresh_from_db()
    with CaptureQueriesContext(connection) as queries:
        marks = RowMarks(crowd, rows)
        assert sum(marks.verified(row) is not None for row in rows) == 1
    assert len(queries) == 1
    assert RowMarks(crowd).verified(rows[2]) == Verification.objects.get()


class TestAnnotations:
    def test_organisers_read_all_and_others_the_public_ones(
        self, crowd: Challenge, alice: User
    ) -> None:
        attempt = attempt_of("atlas")
        secret = annotate(attempt, {"text": "Ask for the code."}, by=alice)
        public = annotate(attempt, {"text": "Run twice.", "public": True}, by=alice)
        assert list(annotations_of(attempt, organiser=True)) == [secret, public]
        assert list(annotations_of(attempt, organiser=False)) == [public]
        assert list(annotations_of(attempt_of("bolt"), organiser=True)) == []

    def test_a_deleted_one_stays_in_the_log(self, crowd: Challenge, alice: User) -> None:
        attempt = attempt_of("atlas")
        note = annotate(attempt, {"text": "Ask for the code."}, by=alice)
        error = refusal(lambda: remove_annotation(attempt_of("bolt"), note.pk, by=alice))
        assert error.code == "not_found"
        remove_annotation(attempt, note.pk, by=alice)
        assert not Annotation.objects.exists()
        made, gone = AuditEntry.objects.filter(kind="attempt").order_by("pk")
        assert made.after == gone.before == {"annotation": "Ask for the code.", "public": False}
        assert not made.public

    def test_wrong_fields_are_refused(self, crowd: Challenge, alice: User) -> None:
        cases: list[tuple[Any, ...]] = [
            ({}, "text"),
            ({"text": "  "}, "text"),
            ({"text": "x" * 5001}, "text"),
            ({"text": "x", "public": "yes"}, "public"),
            ({"text": "x", "by": "me"}, "by"),
        ]
        attempt = attempt_of("atlas")
        check_refusals(lambda fields: annotate(attempt, fields, by=alice), cases)

    def test_marks_are_deleted_with_the_account_of_the_participant(
        self, crowd: Challenge, alice: User
    ) -> None:
        attempt = attempt_of("atlas")
        annotate(attempt, {"text": "Ask Atlas, 12 High Street."}, by=alice)
        owner = attempt.participant.owner
        assert owner is not None
        erase_account(owner)
        assert not Annotation.objects.exists()
        assert all(entry.after is None for entry in AuditEntry.objects.filter(kind="attempt"))
