"""Reads the new fact in all places; see `checks`."""

import json
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, transaction
from django.test import Client

from leaderboard.models import Attempt
from leaderboard.services.scoring.single import score_next
from tests.tables import in_page, rendered

API = "/api/v1/challenges"
TABLE = b"participant,energy_wh\nsheet,2.5\n"


def facts(client: Client) -> dict[str, Any]:
    ranked = {"scoring_strategy": "metric", "rank_by": [{"key": "energy_wh", "direction": "asc"}]}
    scored = {"scoring_strategy": "custom", "scoring_entrypoint": "scorers.thrift:Thrift"}
    created = [
        client.post(f"{API}/", {"name": name, **fields}, "application/json").status_code
        for name, fields in (("Grid", ranked), ("Thrift", scored))
    ]
    path = f"{API}/grid/attempts/"
    sent = [_sent(client, path, handle, used) for handle, used in (("lamp", 9), ("diode", 1.5))]
    refused = [_sent(client, path, "sun", used) for used in (5000.5, "much")]
    by_hand = {"participant": "hand", "energy_wh": "4", "values": "", "note": ""}
    posted = client.post("/c/grid/submit/", by_hand)
    upload = SimpleUploadedFile("used.csv", TABLE)
    imported = client.post(f"{API}/grid/imports/", {"file": upload})
    measured = {"participant": "lamp", "samples": [_sample(6.5)]}
    client.post(path, measured, "application/json")
    scoring = _sent(client, f"{API}/thrift/attempts/", "lamp", 9)
    while score_next():
        pass
    page = client.get(f"/attempts/{sent[0]['id']}/")
    return {
        "created": created,
        "sent": sent,
        "refused": refused,
        "read": client.get(f"/api/v1/attempts/{sent[0]['id']}/").json(),
        "form": client.get("/c/grid/submit/").content.decode(),
        "posted": posted.status_code,
        "imported": imported.json(),
        "page": page.content.decode(),
        "example": client.get(f"{API}/grid/example.json").json(),
        "board": client.get(f"{API}/grid/leaderboard/").json(),
        "csv": client.get(f"{API}/grid/leaderboard.csv").getvalue().decode(),
        "sample": client.post(
            path, {"participant": "x", "samples": [_sample(-1)]}, "application/json"
        ).json(),
        "scored": client.get(f"/api/v1/attempts/{scoring['id']}/").json(),
        "reserved": client.post(
            f"{API}/",
            {"name": "Odd", **ranked, "metrics": [{"type": "mean", "name": "energy_wh"}]},
            "application/json",
        ).json(),
        "admin": client.get("/admin/leaderboard/challenge/add/").content.decode(),
        "check": _refused_by_the_database(sent[0]["id"]),
        "docs": {name: rendered(name) for name in ("facts", "rank keys", "scorer facts")},
        "protocol": [rendered("protocol"), in_page("protocol")],
    }


def _sent(client: Client, path: str, handle: str, used: Any) -> Any:
    body = {"participant": handle, "metrics": {"energy_wh": used}}
    return json.loads(client.post(path, body, "application/json").content)


def _sample(used: float) -> dict[str, Any]:
    return {"task": "a", "sample": 0, "rewards": {"reward": 1}, "usage": {"energy_wh": used}}


def _refused_by_the_database(pk: str) -> str:
    too_much = {"energy_wh": 5001}
    try:
        with transaction.atomic():
            Attempt.objects.filter(pk=pk).update(**too_much)
    except IntegrityError as error:
        return str(error)
    return ""
