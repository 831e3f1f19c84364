"""Search by name in two steps, compared with a plain scan of every name."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection

from leaderboard.models import Challenge, Participant, Tenant
from leaderboard.models.prepared import FetchedRows, fetch
from leaderboard.rules.texts.names import name_key
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import ranking, search
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.standings.counting import rebuild_standings
from leaderboard.services.challenges.challenges import create_challenge
from tests.services.attempts.crowds import WAYS, crowd

pytestmark = pytest.mark.django_db

HANDLES = ("atlas", "Atlas 2", "100% sure", "a_b", "a\\b", "it's", "Ångström", "straße", "日本語版")
NAMES = ("", "", "Borealis", "ATLAS", "per cent %", "x_y", "back\\slash", "ÅSE", "原子力")
TEXTS = (
    *HANDLES,
    *NAMES[2:],
    "tla",
    "ATL",
    "%",
    "_",
    "\\",
    "'",
    "bor",
    "zzz",
    "at",
    "a",
    "100%",
    "sse",
)


@pytest.fixture(scope="module")
def challenge(module_rows: None) -> Challenge:
    tenant = Tenant.objects.create(slug="default", name="Default")
    crowded = create_challenge(
        tenant=tenant, user=None, fields={"name": "Crowd", **WAYS["fastest"]}
    )
    crowd(crowded, participants=90, attempts=160, seed=5)
    dice = random.Random(6)
    everyone = list(Participant.objects.all())
    for at, participant in enumerate(everyone):
        participant.handle = f"{dice.choice(HANDLES)} {at}"
        participant.handle_key = name_key(participant.handle)
        participant.name = dice.choice(NAMES)
    Participant.objects.bulk_update(everyone, ["handle", "handle_key", "name"])
    rebuild_standings(crowded)
    return crowded


def test_a_search_finds_what_a_scan_finds(
    challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = board_at(challenge)
    everyone = list(ranking.every_row(board))
    for text in TEXTS:
        named = set(
            board.standings.filter(search.named(text)).values_list("participant", flat=True)
        )
        rows = [row for row in everyone if row.participant.pk in named]
        if text.isascii():
            assert rows == [row for row in everyone if holds(row, text)], text
        for most in (0, 15, 1000):
            monkeypatch.setattr(search, "MOST", most)
            assert ranking.search(board, text, limit=200).rows == rows, (text, most)
            assert ranking.search(board, text, start=3, limit=4).rows == rows[3:7], (text, most)
            by_time = ranking.sorted_by(
                board, "elapsed_ms", descending=False, limit=200, text=text
            ).rows
            assert {row.participant.pk for row in by_time} == named, (text, most)
            assert len(by_time) == len(named), (text, most)


def holds(row: BoardRow, text: str) -> bool:
    participant = row.participant
    in_handle = name_key(text) in name_key(participant.handle)
    return in_handle or text.lower() in participant.name.lower()


def test_a_search_finds_no_participants_of_other_tenants(challenge: Challenge) -> None:
    other = Tenant.objects.create(slug="other", name="Other")
    Participant.objects.create(tenant=other, handle="atlas", handle_key="atlas", slug="atlas")
    ids = search.ids_named(other.pk, "atlas")
    assert ids is not None
    assert len(ids) == 1


def test_a_search_is_planned_for_all_matches(
    challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit in a parameter would let PostgreSQL plan for a few matches, and read all names."""
    asked: list[object] = []

    def fetched(sql: str, parameters: Sequence[object]) -> FetchedRows:
        asked.extend([sql.count(f"LIMIT {search.MOST + 1}"), *parameters])
        return fetch(sql, parameters)

    monkeypatch.setattr(search, "fetch", fetched)
    search.ids_named(challenge.tenant_id, "atlas")
    tenant_id = challenge.tenant_id
    assert asked == [2, tenant_id, f"%{name_key('atlas')}%", tenant_id, "%atlas%"]
    if connection.vendor == "postgresql":
        names = map(str, range(3000))
        Participant.objects.bulk_create(
            Participant(tenant_id=tenant_id, handle=name, handle_key=name, slug=name)
            for name in names
        )
        limits = prepared_plan()["Plans"]
        assert [limit["Node Type"] for limit in limits] == ["Limit", "Limit"]
        assert all(limit["Total Cost"] == limit["Plans"][0]["Total Cost"] for limit in limits)


def prepared_plan() -> dict[str, Any]:
    """The plan that PostgreSQL uses for the search with any parameters."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE leaderboard_participant")
        cursor.execute(
            "SELECT name, cardinality(parameter_types) FROM pg_prepared_statements"
            " WHERE statement LIKE '%handle_key LIKE%'"
        )
        name, parameters = cursor.fetchone()
        values = ", ".join(["NULL"] * parameters)
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        cursor.execute(f"EXPLAIN (FORMAT JSON) EXECUTE {name}({values})")
        [[explanation]] = cursor.fetchone()
    plan: dict[str, Any] = explanation["Plan"]
    return plan
