"""Reads the new column, importer, metric and text metric in all places; see `checks`."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.services.scoring.single import score_next

API = "/api/v1/challenges"
INSTANCES = [{"id": "1", "input": "Hey", "actual-output": "HEY"}]


def plugins(client: Client) -> dict[str, Any]:
    penalty = {"scoring_strategy": "metric", "rank_by": [{"key": "penalty", "direction": "asc"}]}
    worst = {**penalty, "rank_by": [{"key": "worst", "direction": "desc"}], "metrics": ["worst"]}
    loud = {**penalty, "rank_by": [{"key": "LOUDNESS"}], "text_metrics": ["LOUDNESS"]}
    created = [
        client.post(f"{API}/", {"name": name, **fields}, "application/json").json()
        for name, fields in (("Race", penalty), ("Worst", worst), ("Loud", loud))
    ]
    upload = SimpleUploadedFile("call.txt", b"HEY you")
    imported = client.post(f"{API}/race/imports/", {"file": upload}).json()
    rewards = {"participant": "atlas", "task_rewards": {"a": [1.0, 0.5], "b": [0.75]}}
    client.post(f"{API}/worst/attempts/", rewards, "application/json")
    outputs = {"participant": "atlas", "evaluation": {"instances": INSTANCES}}
    client.post(f"{API}/loud/attempts/", outputs, "application/json")
    while score_next():
        pass
    return {
        "created": created,
        "imported": imported,
        "listed": client.get("/api/v1/plugins/").json(),
        "page": client.get("/plugins/").content.decode(),
        "boards": {
            slug: client.get(f"{API}/{slug}/leaderboard/").json()
            for slug in ("race", "worst", "loud")
        },
        "admin": client.get("/admin/leaderboard/challenge/add/").content.decode(),
        "form": client.get("/c/race/submit/file/").content.decode(),
        "race": client.get("/c/race/").content.decode(),
    }
