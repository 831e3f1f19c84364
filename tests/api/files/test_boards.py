"""Boards: rows and their order, cells without a value, pages, ETags, exports, standings."""

from __future__ import annotations

import csv
import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Attempt, Challenge, Participant, Score, Standing, Tenant, User
from leaderboard.services.attempts.retry import withdraw_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from tests.api.conftest import METRICS, Api, Run, refused

BOARD = "challenges/sprint/leaderboard/"
RANKS = {"a": 1, "b": 2, "c": 2, "d": 4, "e": None}
"""The ranks on the board of the fixture `five`."""
FILES = ("challenges/sprint/leaderboard.csv", "challenges/sprint/leaderboard.jsonl")
STANDING = "challenges/sprint/standings/a/"


@pytest.fixture
def five(run: Run) -> None:
    """Make a board: a 100, b and c 200, d 300, e unsuccessful; b has no token count."""
    for name, elapsed_ms in [("a", 100), ("b", 200), ("c", 200), ("d", 300)]:
        run(name, elapsed_ms=elapsed_ms, tokens_total=None if name == "b" else elapsed_ms)
    run("e", succeeded=False)


def names(body: dict[str, Any]) -> list[str]:
    return [row["participant"]["handle"] for row in body["rows"]]


def test_rows_are_in_the_order_of_ranks(anyone: Api, five: None) -> None:
    body = anyone.get(BOARD).json()
    assert names(body) == ["a", "b", "c", "d", "e"]
    assert [(row["rank"], row["tied"], row["unranked"]) for row in body["rows"]] == [
        (1, False, None),
        (2, True, None),
        (2, True, None),
        (4, False, None),
        (None, False, "not_succeeded"),
    ]
    assert (body["total"], body["ranked"], body["next"]) == (5, 4, None)
    assert (body["challenge"], body["scoring_version"], body["rescoring"]) == ("sprint", 1, None)
    version = Challenge.objects.get().board_version
    assert body["version"] == version + board_at(Challenge.objects.get()).version
    assert body["phase"] == "main"
    assert body["columns"][0] == {
        "key": "elapsed_ms",
        "label": body["columns"][0]["label"],
        "description": body["columns"][0]["description"],
        "direction": "asc",
        "unit": "ms",
        "decimals": body["columns"][0]["decimals"],
        "ranked": True,
    }


def test_a_row_has_its_participant_attempt_and_values(anyone: Api, run: Run) -> None:
    read = run("Atlas")
    (row,) = anyone.get(BOARD).json()["rows"]
    assert row["participant"] == {
        "handle": "Atlas",
        "slug": "atlas",
        "name": "Atlas",
        "kind": "system",
    }
    assert row["attempt"] == read["id"]
    assert row["score"] is None
    assert row["attempts"] == 1
    assert row["reached_at"] == read["submitted_at"]
    assert row["values"]["elapsed_ms"] == 1200
    assert set(row["values"]) == {column["key"] for column in anyone.get(BOARD).json()["columns"]}


def test_an_empty_cell_is_null_with_its_reason(anyone: Api, five: None) -> None:
    row = anyone.get(BOARD).json()["rows"][1]
    assert row["values"]["tokens_total"] is None
    assert row["cells"]["tokens_total"] == {"reason": "undefined"}
    assert row["cells"]["elapsed_ms"] == {"level": "reported"}


def test_a_failed_attempt_has_no_score(anyone: Api, run: Run, sprint: Challenge) -> None:
    run("a")
    Score.objects.update(error_code="timeout")
    change_challenge(sprint, user=None, fields={"columns": [{"key": "score"}]})
    Standing.objects.update(unranked="failed")
    (row,) = anyone.get(BOARD).json()["rows"]
    assert row["score"] is None
    assert "score" not in row["values"]
    assert row["cells"]["score"] == {"reason": "failed"}


class TestPages:
    def test_all_pages_together_are_the_whole_board(self, anyone: Api, five: None) -> None:
        for query in ("", "search=", "sort=elapsed_ms", "sort=-tokens_total"):
            whole = anyone.get(f"{BOARD}?{query}").json()["rows"]
            assert {row["participant"]["handle"]: row["rank"] for row in whole} == RANKS
            for limit in (1, 2, 4, 5, 500):
                rows: list[Any] = []
                cursor: str | None = ""
                while cursor is not None and len(rows) < 10:
                    path = f"{BOARD}?{query}&limit={limit}&cursor={cursor}"
                    body = anyone.get(path).json()
                    rows += body["rows"]
                    cursor = body["next"]
                assert rows == whole, (query, limit)

    def test_a_search_has_pages(self, anyone: Api, run: Run) -> None:
        for at in range(5):
            run(f"Atlas {at}", elapsed_ms=at)
            run(f"Nova {at}", elapsed_ms=at)
        first = anyone.get(f"{BOARD}?search=ATLAS&limit=3").json()
        rest = anyone.get(f"{BOARD}?search=ATLAS&limit=3&cursor={first['next']}").json()
        assert names(first) + names(rest) == [f"Atlas {at}" for at in range(5)]
        assert [row["rank"] for row in first["rows"]] == [1, 3, 5]
        assert rest["next"] is None

    def test_chosen_columns_keep_their_order(self, anyone: Api, five: None) -> None:
        body = anyone.get(f"{BOARD}?columns=rating,elapsed_ms").json()
        assert [column["key"] for column in body["columns"]] == ["rating", "elapsed_ms"]
        assert list(body["rows"][0]["values"]) == ["rating", "elapsed_ms"]

    def test_many_rows_take_as_many_queries_as_few(self, anyone: Api, run: Run) -> None:
        for at in range(12):
            run(f"p{at}", elapsed_ms=at // 2)
        anyone.get(BOARD)
        for query in ("", "search=p", "sort=-elapsed_ms"):
            with CaptureQueriesContext(connection) as few:
                anyone.get(f"{BOARD}?{query}&limit=2")
            with CaptureQueriesContext(connection) as many:
                assert len(anyone.get(f"{BOARD}?{query}&limit=12").json()["rows"]) == 12
            # after the last value of a sorted board come the rows without one
            beyond = 2 if "sort" in query else 0
            most = 10 if query else 4
            assert len(few) <= len(many) <= len(few) + beyond <= most, query

    def test_a_search_text_is_not_a_pattern(self, anyone: Api, five: None) -> None:
        for text in ("%25", "_", "%27", "\\"):
            assert anyone.get(f"{BOARD}?search={text}").json()["rows"] == []


class TestETag:
    def test_an_unchanged_board_is_answered_before_it_is_read(
        self, anyone: Api, five: None
    ) -> None:
        first = anyone.get(BOARD)
        assert first["ETag"].startswith('"')
        assert first["Cache-Control"] == "public, no-cache"
        with CaptureQueriesContext(connection) as queries:
            again = anyone.get(BOARD, **{"If-None-Match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again["ETag"] == first["ETag"]
        assert len(queries) == 1

    @pytest.mark.parametrize("visibility", ["public", "unlisted"])
    def test_an_unchanged_board_takes_one_statement_everywhere(
        self, anyone: Api, five: None, visibility: str
    ) -> None:
        Challenge.objects.update(visibility=visibility)
        boards = (BOARD, f"{BOARD}?sort=elapsed_ms&limit=2")
        for path in (*boards, *FILES, f"{FILES[0]}?for=excel", STANDING):
            first = anyone.get(path)
            with CaptureQueriesContext(connection) as queries:
                again = anyone.get(path, **{"If-None-Match": first["ETag"]})
            assert (again.status_code, again.content) == (304, b""), path
            for name in ("ETag", "Cache-Control", "Vary"):
                assert again.get(name) == first.get(name), path
            assert len(queries) == 1, path

    def test_another_etag_gets_the_board(self, anyone: Api, five: None) -> None:
        for tag, status in (('"another"', 200), ("*", 304), ('W/"another", "a third"', 200)):
            assert anyone.get(BOARD, **{"If-None-Match": tag}).status_code == status, tag

    def test_an_etag_does_not_open_a_board_that_became_private(
        self, anyone: Api, organiser: Api, five: None
    ) -> None:
        tag = {"If-None-Match": anyone.get(BOARD)["ETag"]}
        Challenge.objects.update(visibility="private")
        refused(anyone.get(BOARD, **tag), 404, "not_found")
        refused(anyone.get("challenges/nothing/leaderboard/", **tag), 404, "not_found")
        again = organiser.get(BOARD)["ETag"]
        assert organiser.get(BOARD, **{"If-None-Match": again}).status_code == 304

    def test_the_etag_of_a_public_board_is_none_of_a_private_one_with_the_same_slug(
        self, anyone: Api, stranger: Api, carol: User, acme: Tenant, five: None
    ) -> None:
        tag = {"If-None-Match": anyone.get(BOARD)["ETag"]}
        fields = {"name": "Own", "scoring_strategy": "highest_rating", "visibility": "private"}
        own = create_challenge(tenant=acme, user=carol, fields=fields)
        Challenge.objects.filter(pk=own.pk).update(slug="sprint")
        answer = stranger.get(BOARD, **tag)
        assert (answer.status_code, answer.json()["rows"]) == (200, [])
        assert anyone.get(BOARD, **tag).status_code == 304

    def test_the_etag_changes_with_each_change(
        self, anyone: Api, five: None, run: Run, sprint: Challenge
    ) -> None:
        tags = {path: anyone.get(path)["ETag"] for path in (BOARD, *FILES, STANDING)}

        def statuses() -> set[int]:
            answers = {
                path: anyone.get(path, **{"If-None-Match": tag}) for path, tag in tags.items()
            }
            tags.update((path, answer["ETag"]) for path, answer in answers.items())
            return {answer.status_code for answer in answers.values()}

        assert statuses() == {304}
        run("f")
        assert statuses() == {200}
        withdraw_attempt(Attempt.objects.order_by("-pk")[0], reason="A mistake")
        assert statuses() == {200}
        change_challenge(sprint, user=None, fields={"columns": [{"key": "rating", "label": "R"}]})
        assert statuses() == {200}
        again = change_challenge(sprint, user=None, fields={"scoring_strategy": "fewest_tokens"})
        assert statuses() == {200}
        config, _ = start_rescore(again)
        assert statuses() == {200}
        work_on(config.pk)
        assert statuses() == {200}
        assert statuses() == {304}

    def test_each_query_has_its_own_etag(self, anyone: Api, five: None) -> None:
        tags = {anyone.get(f"{BOARD}?{query}")["ETag"] for query in ("", "limit=1", "sort=rating")}
        assert len(tags) == 3

    def test_private_boards_are_cached_privately(self, organiser: Api, secret: Any) -> None:
        answer = organiser.get("challenges/secret/leaderboard/")
        assert answer["Cache-Control"] == "private, no-cache"


def test_the_progress_of_a_rescore_is_shown(anyone: Api, run: Run, sprint: Challenge) -> None:
    run("a", elapsed_ms=1, tokens_total=9)
    run("b", elapsed_ms=9, tokens_total=1)
    changed = change_challenge(sprint, user=None, fields={"scoring_strategy": "fewest_tokens"})
    body = anyone.get(BOARD).json()
    assert (body["scoring_version"], body["newest_scoring_version"]) == (1, 2)
    assert body["rescoring"] is None
    config, total = start_rescore(changed)
    body = anyone.get(BOARD).json()
    assert body["rescoring"] == {"scoring_version": 2, "done": 0, "total": total}
    assert names(body) == ["a", "b"]
    work_on(config.pk)
    body = anyone.get(BOARD).json()
    assert (body["scoring_version"], body["rescoring"]) == (2, None)
    assert names(body) == ["b", "a"]


class TestExports:
    def test_the_csv_has_the_rows_in_their_order(self, anyone: Api, five: None) -> None:
        answer = anyone.get("challenges/sprint/leaderboard.csv?columns=elapsed_ms,tokens_total")
        assert answer["Content-Type"] == "text/csv; charset=utf-8"
        assert answer["Content-Disposition"] == 'attachment; filename="sprint.csv"'
        assert answer.streaming
        rows = list(csv.DictReader(answer.getvalue().decode().splitlines()))
        assert list(rows[0]) == [
            "rank",
            "participant",
            "slug",
            "name",
            "kind",
            "elapsed_ms",
            "tokens_total",
            "attempts",
            "reached_at",
            "attempt",
            "unranked",
            "provenance",
        ]
        assert [row["rank"] for row in rows] == ["1", "2", "2", "4", ""]
        assert [row["participant"] for row in rows] == ["a", "b", "c", "d", "e"]
        assert rows[1]["tokens_total"] == ""
        assert float(rows[0]["elapsed_ms"]) == 100
        assert rows[4]["unranked"] == "not_succeeded"

    def test_no_text_begins_a_formula(self, anyone: Api, run: Run) -> None:
        run("atlas")
        for text in ("=1+1", "+1", "-1", "@SUM(A1)", "  =1+1"):
            Participant.objects.update(handle=text, name=text)
            (row,) = anyone.table(FILES[0])
            assert row["participant"] == row["name"] == f"'{text}"

    def test_the_jsonl_export_equals_the_board(self, anyone: Api, five: None) -> None:
        answer = anyone.get("challenges/sprint/leaderboard.jsonl", Accept="text/plain")
        assert answer["Content-Type"] == "application/x-ndjson"
        lines = answer.getvalue().decode().splitlines()
        assert [json.loads(line) for line in lines] == anyone.get(BOARD).json()["rows"]

    def test_an_empty_board_has_empty_exports(self, anyone: Api, sprint: Challenge) -> None:
        assert anyone.get("challenges/sprint/leaderboard.jsonl").getvalue() == b""
        assert len(anyone.get("challenges/sprint/leaderboard.csv").getvalue().splitlines()) == 1


class TestStanding:
    def test_a_standing_has_its_neighbours(self, anyone: Api, run: Run) -> None:
        for at in range(14):
            run(f"p{at:02}", elapsed_ms=at)
        body = anyone.get("challenges/sprint/standings/p07/").json()
        assert (body["rank"], body["participant"]["slug"]) == (8, "p07")
        assert [row["rank"] for row in body["above"]] == [3, 4, 5, 6, 7]
        assert [row["rank"] for row in body["below"]] == [9, 10, 11, 12, 13]
        assert (body["total"], body["ranked"]) == (14, 14)
        assert body["columns"] == anyone.get(BOARD).json()["columns"]

    def test_standings_at_the_ends_have_neighbours_on_one_side(
        self, anyone: Api, five: None
    ) -> None:
        first = anyone.get("challenges/sprint/standings/a/").json()
        last = anyone.get("challenges/sprint/standings/e/").json()
        assert (first["above"], len(first["below"])) == ([], 4)
        assert (len(last["above"]), last["below"]) == (4, [])

    def test_a_missing_standing_is_not_found(self, anyone: Api, submitter: Api, five: None) -> None:
        submitter.post("challenges/sprint/attempts/", {"participant": "waits", "metrics": METRICS})
        for who in ("nobody", "waits"):
            refused(anyone.get(f"challenges/sprint/standings/{who}/"), 404, "not_found")
