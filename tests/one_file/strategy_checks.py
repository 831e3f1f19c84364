"""Reads the new strategy in all places; see `checks`."""

from typing import Any

from django.test import Client

from leaderboard.admin.challenge_form import strategies_offered
from leaderboard.services.scoring.single import score_next
from tests.tables import rendered


def strategies(client: Client) -> dict[str, Any]:
    fields = {"name": "Purse", "scoring_strategy": "cheapest"}
    created = client.post("/api/v1/challenges/", fields, "application/json")
    for handle, cost, elapsed in (("dear", 2.0, 1), ("cheap", 1.0, 3), ("quick", 1.0, 2)):
        body = {
            "participant": handle,
            "metrics": {"succeeded": True, "cost_usd": cost, "elapsed_ms": elapsed},
        }
        client.post("/api/v1/challenges/purse/attempts/", body, "application/json")
    while score_next():
        pass
    board = client.get("/api/v1/challenges/purse/leaderboard/").json()
    return {
        "created": [created.status_code, created.json()],
        "admin": dict(strategies_offered()),
        "board": [row["participant"]["handle"] for row in board["rows"]],
        "columns": [column["key"] for column in board["columns"]],
        "rules": client.get("/c/purse/rules/").content.decode(),
        "docs": rendered("strategies"),
    }
