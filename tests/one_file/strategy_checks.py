"""Reads the new strategy in all places; see `checks`."""

from typing import Any

from django.test import Client

from leaderboard.forms.choice_labels import strategy_labels
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
        "admin": strategy_labels(),
        "board": [row["participant"]["handle"] for row in board["rows"]],
        "columns": [column["key"] for column in board["columns"]],
        "rules": client.get("/c/purse/rules/").content.decode(),
        "docs": rendered("strategies"),
    }


def conditions(client: Client) -> dict[str, Any]:
    """A new rule of admission, at the challenge of the strategy."""
    rules = "/api/v1/challenges/purse/admission/"
    wrong = client.put(rules, {"rules": [{"rule": "few_failures", "most": -1}]}, "application/json")
    sent = client.put(rules, {"rules": [{"rule": "few_failures", "most": 0}]}, "application/json")
    body = {
        "participant": "broken",
        "samples": [{"task": "a", "sample": 0, "rewards": None}],
        "metrics": {"succeeded": True, "cost_usd": 0.5, "elapsed_ms": 1},
    }
    attempt = client.post("/api/v1/challenges/purse/attempts/", body, "application/json").json()
    report = client.get(f"/api/v1/attempts/{attempt['id']}/admission/").json()
    return {
        "wrong": wrong.json(),
        "words": sent.json()["words"],
        "verdict": report["verdict"],
        "rules": client.get("/c/purse/rules/").content.decode(),
        "form": client.get("/c/purse/manage/admission/").content.decode(),
    }
