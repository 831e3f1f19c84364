"""Organisers verify and annotate attempts through the API; boards tell who verified."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.models import Challenge, Phase
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring import single
from tests.api.conftest import Api, Run, refused

BOARD = "challenges/sprint/leaderboard/"
MARK = {"by": "Ann Lee", "link": "https://example.org/report"}


def put(api: Api, attempt: dict[str, Any], body: object = MARK) -> Any:
    return api.put(f"{attempt['url']}verification/", body)


def test_a_verified_attempt_is_marked_wherever_it_is_read(
    run: Run, organiser: Api, anyone: Api
) -> None:
    atlas, bolt = run("atlas", elapsed_ms=1), run("bolt", elapsed_ms=2)
    assert (atlas["verified"], atlas["annotations"]) == (None, [])
    before = anyone.get(BOARD)
    assert [row["verified"] for row in before.json()["rows"]] == [None, None]
    assert "verified" not in anyone.text("challenges/sprint/leaderboard.csv")
    answer = put(organiser, bolt)
    assert answer.status_code == 200, answer.content
    mark = answer.json()["verified"]
    assert {name: mark[name] for name in MARK} == MARK
    assert mark["at"].endswith("Z")
    assert anyone.get(bolt["url"]).json()["verified"] == mark
    listed = anyone.get("challenges/sprint/attempts/").json()["results"]
    assert {attempt["participant"]: attempt["verified"] for attempt in listed} == {
        "atlas": None,
        "bolt": mark,
    }
    after = anyone.get(BOARD, **{"If-None-Match": before.headers["ETag"]})
    assert [row["verified"] for row in after.json()["rows"]] == [None, mark]
    assert anyone.get("challenges/sprint/standings/bolt/").json()["verified"] == mark
    lines = anyone.json_lines("challenges/sprint/leaderboard.jsonl")
    assert [row["verified"] for row in lines] == [None, mark]
    rows = anyone.table("challenges/sprint/leaderboard.csv")
    last = ("verified_by", "verified_at", "verified_link")
    assert [tuple(row[name] for name in last) for row in rows] == [
        ("", "", ""),
        (MARK["by"], mark["at"], MARK["link"]),
    ]
    assert organiser.delete(f"{bolt['url']}verification/").json()["verified"] is None
    refused(organiser.delete(f"{bolt['url']}verification/"), 409, "conflict")
    assert [row["verified"] for row in anyone.get(BOARD).json()["rows"]] == [None, None]


def test_the_name_of_a_verifier_is_no_formula_in_a_table(
    run: Run, organiser: Api, anyone: Api
) -> None:
    put(organiser, run("atlas", elapsed_ms=1), {"by": "=1+1"})
    assert "'=1+1" in anyone.text("challenges/sprint/leaderboard.csv")


def test_verified_rows_can_be_asked_for(run: Run, organiser: Api, anyone: Api) -> None:
    for place in range(1, 5):
        attempt = run(f"p{place}", elapsed_ms=place)
        if place % 2 == 0:
            put(organiser, attempt)
    page = anyone.get(f"{BOARD}?verified=1&limit=1").json()
    assert [row["rank"] for row in page["rows"]] == [2]
    rest = anyone.get(f"{BOARD}?verified=1&limit=1&cursor={page['next']}").json()
    assert [row["rank"] for row in rest["rows"]] == [4]
    assert rest["next"] is None
    sorted_rows = anyone.get(f"{BOARD}?verified=1&sort=-elapsed_ms").json()["rows"]
    assert [row["rank"] for row in sorted_rows] == [4, 2]
    rows = anyone.get(f"{BOARD}?verified=1&search=p4").json()["rows"]
    assert [row["rank"] for row in rows] == [4]
    assert len(anyone.get(f"{BOARD}?verified=0").json()["rows"]) == 4
    refused(anyone.get(f"{BOARD}?verified=yes"), 400, "invalid", "verified")
    other = page["next"]
    refused(anyone.get(f"{BOARD}?cursor={other}"), 400, "invalid", "cursor")


@pytest.mark.parametrize("hidden", [{"board": "organisers"}, {"attempts": "own"}])
def test_readers_cannot_filter_by_marks_of_hidden_attempts(
    run: Run, organiser: Api, anyone: Api, sprint: Challenge, hidden: dict[str, str]
) -> None:
    put(organiser, run("atlas", elapsed_ms=1))
    phase = Phase.objects.get(challenge=sprint)
    body = {"phases": [{"slug": phase.slug, **hidden}]}
    change_challenge(sprint, user=None, fields=body)
    refused(anyone.get(f"{BOARD}?verified=1"), 400, "invalid", "verified")
    assert len(organiser.get(f"{BOARD}?verified=1").json()["rows"]) == 1
    assert b"Ann Lee" not in anyone.get(BOARD).content
    for name in ("leaderboard.jsonl", "leaderboard.csv"):
        assert b"Ann Lee" not in anyone.get(f"challenges/sprint/{name}").getvalue()


def test_only_organisers_mark_and_annotate(
    run: Run, submitter: Api, stranger: Api, anyone: Api
) -> None:
    attempt = run("atlas")
    notes = f"{attempt['url']}annotations/"
    for api in (submitter, stranger):
        refused(put(api, attempt), 403, "permission_denied")
        refused(api.delete(f"{attempt['url']}verification/"), 403, "permission_denied")
        refused(api.post(notes, {"text": "x"}), 403, "permission_denied")
    refused(put(anyone, attempt), 401, "not_authenticated")
    refused(anyone.post(notes, {"text": "x"}), 401, "not_authenticated")


def test_annotations_are_made_read_and_deleted(
    run: Run, organiser: Api, submitter: Api, anyone: Api
) -> None:
    attempt = run("atlas")
    notes = f"{attempt['url']}annotations/"
    assert anyone.get(notes).json() == {"results": []}
    secret = organiser.post(notes, {"text": "Ask for the code."})
    assert secret.status_code == 201
    public = organiser.post(notes, {"text": "Run twice.", "public": True}).json()
    assert (public["by"], public["public"]) == ("alice", True)
    for api in (submitter, anyone):
        assert api.get(notes).json() == {"results": [public]}
        assert api.get(attempt["url"]).json()["annotations"] == [public]
    assert organiser.get(notes).json() == {"results": [secret.json(), public]}
    assert organiser.get(attempt["url"]).json()["annotations"] == [secret.json(), public]
    refused(organiser.post(notes, {"text": ""}), 400, "invalid", "text")
    assert organiser.delete(f"{notes}{secret.json()['id']}/").status_code == 204
    refused(organiser.delete(f"{notes}{secret.json()['id']}/"), 404, "not_found")
    refused(submitter.delete(f"{notes}{public['id']}/"), 403, "permission_denied")


def test_a_first_mark_behind_a_freeze_is_in_the_table_of_another_phase(
    sprint: Challenge, submitter: Api, organiser: Api
) -> None:
    """It adds columns, though it changes the version of no board that everybody sees."""
    phases = [
        {"slug": "one", "overlaps": True, "freezes_at": "2026-01-01T00:00Z"},
        {"slug": "two", "overlaps": True},
    ]
    change_challenge(sprint, user=None, fields={"phases": phases})
    body = {"participant": "atlas", "metrics": {"elapsed_ms": 1}, "phase": "one"}
    attempt = submitter.post("challenges/sprint/attempts/", body).json()
    single.score_waiting()
    table = "challenges/sprint/leaderboard.csv?phase=two"
    before = organiser.get(table)
    assert put(organiser, attempt).status_code == 200
    after = organiser.get(table, **{"If-None-Match": before.headers["ETag"]})
    assert after.status_code == 200
    assert b"verified_by" in after.getvalue()
