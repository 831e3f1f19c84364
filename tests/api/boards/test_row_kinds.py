"""Organisers take participants out of the ranking, and readers choose rows, through the API."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.models import Challenge
from tests.api.conftest import Api, Run, refused

pytestmark = pytest.mark.django_db(transaction=True)

BOARD = "challenges/sprint/leaderboard"
PLAYERS = (("atlas", 3), ("bolt", 1), ("comet", 2), ("dart", 4))


def put(api: Api, who: str, row: object) -> Any:
    return api.put(f"challenges/sprint/registrations/{who}/row/", {"row": row})


@pytest.fixture
def scored(run: Run, organiser: Api, sprint: Challenge) -> Challenge:
    """atlas is a baseline and dart a human reference."""
    for who, elapsed in PLAYERS:
        run(who, elapsed_ms=elapsed)
    for who, kind in (("atlas", "baseline"), ("dart", "human")):
        answer = put(organiser, who, kind)
        assert (answer.status_code, answer.json()["row"]) == (200, kind)
    return sprint


def rows(api: Api, query: str = "") -> list[tuple[str, int | None, str | None]]:
    answer = api.get(f"{BOARD}/{query}")
    assert answer.status_code == 200, answer.content
    return [
        (row["participant"]["handle"], row["rank"], row["unranked"])
        for row in answer.json()["rows"]
    ]


BOLT, COMET = ("bolt", 1, None), ("comet", 2, None)
ATLAS, DART = ("atlas", None, "baseline"), ("dart", None, "human")


def test_readers_choose_rows(scored: Challenge, anyone: Api) -> None:
    for query, expected in (
        ("", [BOLT, COMET, ATLAS, DART]),
        ("?kinds=ranked", [BOLT, COMET]),
        ("?kinds=baseline,human", [ATLAS, DART]),
        ("?kinds=ranked,human", [BOLT, COMET, DART]),
        ("?sort=-elapsed_ms", [DART, ATLAS, COMET, BOLT]),
        ("?kinds=human,baseline&sort=-elapsed_ms", [DART, ATLAS]),
        ("?search=art", [DART]),
        ("?limit=1", [BOLT]),
    ):
        assert rows(anyone, query) == expected, query


def test_pages_follow_each_other(scored: Challenge, anyone: Api) -> None:
    first = anyone.get(f"{BOARD}/?limit=1").json()
    assert (first["total"], first["ranked"]) == (2, 2)
    second = anyone.get(f"{BOARD}/?limit=1&cursor={first['next']}").json()
    assert [row["participant"]["handle"] for row in second["rows"]] == ["comet", "atlas", "dart"]
    assert second["next"] is None
    refused(anyone.get(f"{BOARD}/?kinds=ranked&cursor={first['next']}"), 400, "invalid", "cursor")


def test_files_and_standings_have_them(scored: Challenge, anyone: Api) -> None:
    table = anyone.table(f"{BOARD}.csv")
    assert [(row["participant"], row["rank"], row["unranked"]) for row in table] == [
        ("bolt", "1", ""),
        ("comet", "2", ""),
        ("atlas", "", "baseline"),
        ("dart", "", "human"),
    ]
    assert "atlas" not in anyone.text(f"{BOARD}.csv?kinds=ranked")
    lines = anyone.json_lines(f"{BOARD}.jsonl?kinds=human")
    assert [row["participant"]["handle"] for row in lines] == ["dart"]
    standing = anyone.get("challenges/sprint/standings/atlas/").json()
    assert (standing["rank"], standing["unranked"]) == (None, "baseline")
    assert [row["participant"]["handle"] for row in standing["above"]] == ["bolt", "comet"]
    assert standing["below"] == []
    attempt = anyone.get(f"attempts/{standing['attempt']}/").json()
    assert (attempt["counts"], attempt["rank"]) == (True, None)


def test_a_reader_learns_of_a_change(scored: Challenge, organiser: Api, anyone: Api) -> None:
    before = anyone.get(f"{BOARD}/")
    assert put(organiser, "dart", "ranked").status_code == 200
    after = anyone.get(f"{BOARD}/", **{"If-None-Match": before.headers["ETag"]})
    assert after.status_code == 200
    assert rows(anyone) == [BOLT, COMET, ATLAS, ("dart", 3, None)]


def test_only_organisers_choose_and_only_known_kinds(
    scored: Challenge, organiser: Api, submitter: Api, stranger: Api, anyone: Api
) -> None:
    refused(put(submitter, "bolt", "baseline"), 403, "permission_denied")
    refused(put(stranger, "bolt", "baseline"), 403, "permission_denied")
    refused(put(organiser, "bolt", "ghost"), 400, "invalid", "row")
    refused(put(organiser, "nobody", "baseline"), 404, "not_found")
    refused(anyone.get(f"{BOARD}/?kinds=ghost"), 400, "invalid", "kinds")
