"""Rows say how many attempts preceded theirs, where the challenge and the reader's rights allow."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.api.competition.test_admission import BOARD, Submit, agents, change, submit
from tests.api.conftest import Api, refused

__all__ = ["agents", "submit"]

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]
COLUMNS = [{"key": "tries_before"}]


def tries(api: Api, query: str = "") -> dict[str, Any]:
    rows = api.get(BOARD + query).json()["rows"]
    return {row["participant"]["handle"]: row["values"].get("tries_before") for row in rows}


def test_rows_and_files_count_withdrawn_attempts_too(
    submit: Submit, submitter: Api, organiser: Api, anyone: Api
) -> None:
    first = submit("atlas", [0.2])
    for reward in (0.1, 0.9):
        submit("atlas", [reward])
    submit("bolt", [0.5])
    assert tries(anyone) == {"atlas": None, "bolt": None}
    change(organiser, columns=COLUMNS)
    submitter.post(f"attempts/{first}/withdraw/", {"reason": ""})
    for query in ("", "?search=a", "?sort=-mean_reward", "?columns=tries_before"):
        assert tries(anyone, query)["atlas"] == 2, query
    assert tries(anyone)["bolt"] == 0
    lines = anyone.get("challenges/agents/leaderboard.csv").getvalue().decode().splitlines()
    at = lines[0].split(",").index("tries_before")
    assert [float(line.split(",")[at]) for line in lines[1:]] == [2.0, 0.0]
    assert "tries_before" in anyone.get("challenges/agents/leaderboard.jsonl").getvalue().decode()
    refused(anyone.get(f"{BOARD}?sort=tries_before"), 400, "invalid", "sort")
    page = anyone.client.get("/c/agents/").content.decode()
    assert "sort=tries_before" not in page
    change(organiser, disclose="own")
    assert set(tries(anyone).values()) == {None}


def test_more_rows_need_no_more_statements(submit: Submit, organiser: Api, anyone: Api) -> None:
    change(organiser, columns=COLUMNS)
    counts = []
    for names in (["atlas"], ["bolt", "curie", "dorn"]):
        for name in names:
            submit(name, [0.5])
        with CaptureQueriesContext(
            connection,
        ) as captured:
            anyone.get("challenges/agents/leaderboard.json")
        counts.append(len(captured))
    assert counts[0] == counts[1]
