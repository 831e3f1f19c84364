"""Many attempts in one request, one on each line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from leaderboard.api import bodies, bulk_parsers
from leaderboard.models import Attempt, Challenge, Participant
from leaderboard.services.attempts import batches, drafts
from leaderboard.services.scoring import single
from tests.api.conftest import ME, Api, refused
from tests.api.test_schema import written

PATH = "challenges/sprint/attempts/bulk/"

pytestmark = pytest.mark.django_db


def attempt(participant: str, **metrics: Any) -> dict[str, Any]:
    return {"participant": participant, "metrics": {"succeeded": True, **metrics}}


@pytest.mark.postgres
def test_attempts_are_accepted_in_order(
    submitter: Api,
    sprint: Challenge,
    notifications: list[Any],
    django_capture_on_commit_callbacks: Any,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        answer = submitter.lines(PATH, *(attempt(f"p{at}", elapsed_ms=at) for at in range(20)))
    assert answer.status_code == 200
    body = answer.json()
    assert (body["accepted"], body["rejected"]) == (20, [])
    stored = {str(row.pk): row for row in Attempt.objects.select_related("participant")}
    assert [stored[key].participant.handle for key in body["attempts"]] == [
        f"p{at}" for at in range(20)
    ]
    assert [stored[key].fact("elapsed_ms") for key in body["attempts"]] == list(range(20))
    assert set(notifications) == {("score_waiting",)}
    assert single.score_waiting() == 20


def test_a_wrong_line_is_rejected_and_the_others_are_accepted(
    submitter: Api, organiser: Api, sprint: Challenge
) -> None:
    assert organiser.post("challenges/sprint/attempts/", attempt("nova")).status_code == 202
    body = submitter.lines(
        PATH,
        attempt("atlas"),
        b"{",
        b"",
        attempt("atlas", rating=11),
        b"\xff",
        attempt("nova"),
        b'{"participant": "' + b"x" * bodies.MAX_BYTES + b'", "metrics": {}}',
        {**ME, "submitted_at": "2024-01-01T00:00:00Z"},
        [],
        attempt("zephyr"),
    ).json()
    assert body["accepted"] == 2
    assert [
        (rejection["line"], rejection["error"]["code"], sorted(rejection["error"]["fields"]))
        for rejection in body["rejected"]
    ] == [
        (2, "invalid", []),
        (4, "invalid", ["metrics.rating"]),
        (5, "invalid", []),
        (6, "permission_denied", ["participant"]),
        (7, "too_large", []),
        (8, "permission_denied", ["submitted_at"]),
        (9, "invalid", [""]),
    ]
    assert set(Participant.objects.values_list("handle", flat=True)) == {"atlas", "nova", "zephyr"}


@pytest.mark.parametrize("wrong_line", [b"{", b""])
def test_an_atomic_bulk_lists_every_line_that_would_be_refused(
    submitter: Api, organiser: Api, sprint: Challenge, wrong_line: bytes
) -> None:
    """Wrong JSON, a participant of others, and attempts beyond a limit."""
    organiser.post("challenges/sprint/attempts/", attempt("nova"))
    sprint.phases.update(total=1)
    lines = [attempt("atlas"), wrong_line, attempt("nova"), attempt("atlas")]
    body = submitter.lines(f"{PATH}?atomic=1", *lines).json()
    assert [(rejection["line"], rejection["error"]["code"]) for rejection in body["rejected"]] == [
        *([(2, "invalid")] if wrong_line else []),
        (3, "permission_denied"),
        (4, "quota"),
    ]
    assert (body["accepted"], body["attempts"]) == (0, [])
    assert Attempt.objects.count() == 1
    assert Participant.objects.count() == 1
    sent = submitter.lines(f"{PATH}?atomic=1", attempt("atlas")).json()
    assert sent["accepted"] == 1, "what was refused does not count towards the limit"


def test_a_closed_challenge_refuses_every_bulk(submitter: Api, sprint: Challenge) -> None:
    Challenge.objects.update(is_active=False)
    refused(submitter.lines(PATH, ME), 403, "closed")
    for lines in ([], [b"{"]):
        refused(submitter.lines(f"{PATH}?atomic=1", *lines), 403, "closed")


def test_an_atomic_bulk_without_errors_is_saved(submitter: Api, sprint: Challenge) -> None:
    body = submitter.lines(f"{PATH}?atomic=1", attempt("atlas"), attempt("nova")).json()
    assert (body["accepted"], body["rejected"]) == (2, [])


def test_an_empty_bulk_is_accepted(submitter: Api, sprint: Challenge) -> None:
    for body in (b"", b"\n\r\n \n"):
        answer = submitter.send("post", PATH, body, "application/x-ndjson")
        assert answer.json() == {"accepted": 0, "rejected": [], "attempts": []}


def test_too_many_lines_are_refused(
    submitter: Api, sprint: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_parsers, "MAX_LINES", 3)
    assert submitter.lines(PATH, *[attempt("atlas")] * 3, b"", b"").json()["accepted"] == 3
    refused(submitter.lines(PATH, *[attempt("atlas")] * 4), 413, "too_large")
    refused(submitter.lines(PATH, *[b""] * 8), 413, "too_large")
    assert Attempt.objects.count() == 3


def test_a_too_large_body_is_refused(
    submitter: Api, sprint: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_parsers, "MAX_BULK_BYTES", 1000)
    refused(submitter.lines(PATH, *[attempt("atlas")] * 30), 413, "too_large")
    assert not Attempt.objects.exists()


@pytest.mark.slow
def test_ten_thousand_attempts_of_new_participants_are_saved(
    submitter: Api, sprint: Challenge, django_assert_max_num_queries: Any
) -> None:
    lines = [json.dumps(attempt(f"p{at}", elapsed_ms=at)).encode() for at in range(10_000)]
    locks = 2 if connection.vendor == "postgresql" else 0  # of the queue, one per transaction
    with django_assert_max_num_queries(39 + locks):
        body = submitter.lines(PATH, *lines).json()
    assert (body["accepted"], body["rejected"]) == (10_000, [])
    assert Attempt.objects.count() == Participant.objects.count() == 10_000


@pytest.mark.parametrize(
    "evidence",
    [{"metrics": {"elapsed_ms": 5}}, {"task_rewards": {"a": [1.0]}, "values": {"solved": 3}}],
    ids=["metrics", "rewards"],
)
def test_the_statements_of_a_bulk_do_not_grow_with_its_lines(
    submitter: Api, sprint: Challenge, evidence: dict[str, Any]
) -> None:
    counts = []
    for number, lines in enumerate([20, 200]):
        attempts = [{"participant": f"p{number}-{at}", **evidence} for at in range(lines)]
        with CaptureQueriesContext(connection) as asked:
            assert submitter.lines(PATH, *attempts).json()["accepted"] == lines
        counts.append(len(asked))
    assert counts[1] <= counts[0] <= 40


class TestSentAgain:
    """With an Idempotency-Key each line is saved once, however often the request is sent."""

    def lines(self, api: Api, key: str, *lines: Any, query: str = "") -> Any:
        body = b"\n".join(json.dumps(line).encode() for line in lines)
        headers = {"Idempotency-Key": key}
        return api.send("post", PATH + query, body, "application/x-ndjson", headers).json()

    def test_the_same_request_gets_the_same_answer(self, submitter: Api, sprint: Challenge) -> None:
        lines = [attempt("atlas"), attempt("nova", rating=11), attempt("ATLAS"), attempt("zephyr")]
        first = self.lines(submitter, "k", *lines)
        assert (first["accepted"], len(first["rejected"]), len(first["renamed"])) == (3, 1, 1)
        assert self.lines(submitter, "k", *lines) == first
        assert Attempt.objects.count() == 3
        assert self.lines(submitter, "other", *lines)["accepted"] == 3
        assert Attempt.objects.count() == 6

    def test_a_repeated_request_saves_the_missing_half(
        self, submitter: Api, sprint: Challenge, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The database fails between two groups; the same request then saves the rest."""
        lines = [attempt(f"p{at}") for at in range(5)]
        monkeypatch.setattr(drafts, "MAX_LINES", 2)
        groups: list[int] = []

        def fail_later(drafting: Any, some: Any) -> None:
            groups.append(len(some))
            if len(groups) == 2:
                raise OperationalError("the connection is lost")
            drafts.save_drafts(drafting, some)

        with monkeypatch.context() as patched:
            patched.setattr(batches, "save_drafts", fail_later)
            assert self.lines(submitter, "k", *lines)["error"]["code"] == "unavailable"
        assert Attempt.objects.count() == 2
        body = self.lines(submitter, "k", *lines)
        assert (body["accepted"], body["rejected"]) == (5, [])
        handles = Attempt.objects.values_list("participant__handle", flat=True)
        assert sorted(handles) == [f"p{at}" for at in range(5)]

    def test_another_body_with_the_same_key_is_a_conflict(
        self, submitter: Api, sprint: Challenge
    ) -> None:
        first = self.lines(submitter, "k", attempt("atlas"), attempt("nova"))
        other = [attempt("atlas", rating=1), attempt("nova"), attempt("zephyr")]
        body = self.lines(submitter, "k", *other, query="?atomic=1")
        assert (body["accepted"], len(body["rejected"])) == (0, 1)
        body = self.lines(submitter, "k", *other)
        assert (body["accepted"], body["attempts"][0]) == (2, first["attempts"][1])
        (rejected,) = body["rejected"]
        assert (rejected["line"], rejected["error"]["code"]) == (1, "conflict")

    def test_a_repeated_request_takes_few_statements(
        self, submitter: Api, sprint: Challenge, django_assert_max_num_queries: Any
    ) -> None:
        lines = [attempt(f"p{at}") for at in range(200)]
        with django_assert_max_num_queries(40):
            self.lines(submitter, "k", *lines)
        with django_assert_max_num_queries(40):
            self.lines(submitter, "k", *lines)

    def test_an_invalid_key_is_refused(self, submitter: Api, sprint: Challenge) -> None:
        assert self.lines(submitter, "x" * 201, attempt("atlas"))["error"]["code"] == "invalid"


WRONG_LISTS: list[tuple[str, list[str]]] = [
    ("{}", ["attempts"]),
    ("[]", []),
    ("null", []),
    ("{", []),
    ('{"attempts"', []),
    ('{"attempts":', ["attempts"]),
    ('{"attempts": [', ["attempts.0"]),
    ('{"attempts": [{}', ["attempts.1"]),
    ('{"attempts": [{},', ["attempts.1"]),
    ('{"attempts": [{},]}', ["attempts.1"]),
    ('{"attempts": [{} {}]}', ["attempts.1"]),
    ('{"attempts": [1x]}', ["attempts.1"]),
    ('{"attempts": []', []),
    ('{"attempts": []}}', []),
    ('{"attempts": {}}', ["attempts"]),
    ('{"attempts": null}', ["attempts"]),
    ('{"attempts": [], "attempts": []}', ["attempts"]),
    ('{"attempts": [], "atomic": true}', ["atomic"]),
    ('{"atomic": true, "attempts": []}', ["atomic"]),
    ("{1: 2}", []),
    ('{"attempts": [' + "[" * 100_000 + "]}", ["attempts.0"]),
    ('{"attempts": [' + "9" * 5000 + "]}", ["attempts.0"]),
    ('\ufeff{"attempts": []}', []),
]


class TestOneList:
    """`{"attempts": [...]}` as JSON, for clients that know no NDJSON."""

    def test_attempts_are_accepted_in_order(self, submitter: Api, sprint: Challenge) -> None:
        body = submitter.post(PATH, {"attempts": [attempt(f"p{at}") for at in range(20)]}).json()
        assert (body["accepted"], body["rejected"]) == (20, [])
        stored = {str(row.pk): row for row in Attempt.objects.select_related("participant")}
        handles = [stored[key].participant.handle for key in body["attempts"]]
        assert handles == [f"p{at}" for at in range(20)]

    def test_a_list_gets_the_same_answer_as_lines(self, submitter: Api, sprint: Challenge) -> None:
        """Each wrong attempt is rejected separately, with its number from 1."""
        items = [
            json.dumps(attempt("atlas")),
            json.dumps(attempt("atlas", rating=11)),
            '{"participant": "nova", "participant": "nova", "metrics": {}}',
            '{"participant": "nova", "metrics": {"rating": NaN}}',
            json.dumps({"participant": "nova", "metrics": {}, "meta": {"a": "x" * 10}}),
            '{"participant": "' + "x" * bodies.MAX_BYTES + '", "metrics": {}}',
            "[]",
            "null",
            json.dumps({"participant": "nova", "metric": {}}),
            json.dumps({**ME, "submitted_at": "2024-01-01T00:00:00Z"}),
            "[" * 40 + "]" * 40,
            json.dumps(attempt("zephyr", tokens_total=2**64)),
            json.dumps(attempt("zephyr")),
        ]
        listed = f'{{"attempts": [{" , ".join(items)} ]}} \n'.encode()
        by_list = submitter.send("post", f"{PATH}?atomic=1", listed).json()
        by_lines = submitter.lines(f"{PATH}?atomic=1", *map(str.encode, items)).json()
        assert by_list == by_lines
        numbers = [rejection["line"] for rejection in by_list["rejected"]]
        assert numbers == [2, 3, 4, 6, 7, 8, 9, 10, 11, 12]
        assert submitter.send("post", PATH, listed).json()["accepted"] == 3

    def test_an_empty_list_is_accepted(self, submitter: Api, sprint: Challenge) -> None:
        for body in (b'{"attempts": []}', b' { "attempts" : [ ] } '):
            answer = submitter.send("post", PATH, body)
            assert answer.json() == {"accepted": 0, "rejected": [], "attempts": []}

    def test_a_wrong_body_is_refused(self, submitter: Api, sprint: Challenge) -> None:
        for body, fields in WRONG_LISTS:
            error = refused(submitter.send("post", PATH, body.encode()), 400, "invalid")
            assert list(error["fields"]) == fields, body[:100]
        refused(submitter.send("post", PATH, b'{"attempts": ["\xff"]}'), 400, "invalid")
        answer = submitter.send("post", PATH, b"", headers={"Content-Type": "application/json"})
        refused(answer, 400, "invalid", "attempts")
        assert not Attempt.objects.exists()

    def test_too_many_attempts_are_refused(
        self, submitter: Api, sprint: Challenge, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(bulk_parsers, "MAX_LINES", 3)
        assert submitter.post(PATH, {"attempts": [attempt("atlas")] * 3}).json()["accepted"] == 3
        refused(submitter.post(PATH, {"attempts": [attempt("atlas")] * 4}), 413, "too_large")
        monkeypatch.setattr(bulk_parsers, "MAX_BULK_BYTES", 1000)
        refused(submitter.post(PATH, {"attempts": [attempt("a" * 999)]}), 413, "too_large")

    def test_the_schema_has_both_content_types(self) -> None:
        operation = written()["paths"]["/api/v1/challenges/{slug}/attempts/bulk/"]["post"]
        assert set(operation["requestBody"]["content"]) == {
            "application/x-ndjson",
            "application/json",
        }


def test_a_name_that_is_stored_in_another_spelling_is_reported(
    submitter: Api, sprint: Challenge
) -> None:
    body = submitter.lines(
        PATH, attempt("Atlas"), attempt(" ＡTLAS  one"), b"{", attempt("ATLAS"), attempt("Atlas")
    ).json()
    assert body["accepted"] == 4
    assert body["renamed"] == [
        {"line": 2, "participant": {"sent": " ＡTLAS  one", "kept": "ATLAS one"}},
        {"line": 4, "participant": {"sent": "ATLAS", "kept": "Atlas"}},
    ]
