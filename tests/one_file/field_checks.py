"""Reads the new fields of a challenge, of a scoring config and of a phase in all places; see
`checks`."""

import json
from typing import Any

from django.test import Client

from leaderboard.models import Challenge
from tests.pages.manage.forms import inputs
from tests.tables import rendered

API = "/api/v1/challenges"
ADMIN = "/admin/leaderboard/challenge"
JSON = "application/json"


def fields(client: Client) -> dict[str, Any]:
    required = {"name": "Derby", "scoring_strategy": "first"}
    created = client.post(f"{API}/", {**required, "season": 3, "grace_ms": 400}, JSON).json()
    plain = client.post(f"{API}/", {**required, "name": "Plain"}, JSON).json()
    steps = [
        client.patch(f"{API}/derby/", change, JSON).json()
        for change in ({"season": 4}, {"grace_ms": 500}, {"counting": "latest"})
    ]
    again = client.patch(f"{API}/derby/", client.get(f"{API}/derby/").json(), JSON)
    rescored = client.post(f"{API}/derby/rescore/", content_type=JSON)
    refused = client.post(f"{API}/", {**required, "season": 0, "grace_ms": "long"}, JSON).json()
    derby = Challenge.objects.get(slug="derby")
    page = client.get(f"{ADMIN}/{derby.pk}/change/").content.decode()
    typed = client.post(f"{ADMIN}/add/", TYPED)
    stored = Challenge.objects.filter(slug="typed").first()
    return {
        "created": created,
        "defaults": [plain["season"], plain["grace_ms"]],
        "versions": [step["scoring_version"] for step in steps],
        "changed": steps[-1],
        "sent_back": [again.status_code, again.json()["scoring_version"]],
        "rescored": [rescored.status_code, derby.newest.number, grace_of(derby)],
        "refused": refused["error"]["fields"],
        "form": page,
        "settings": client.get("/c/derby/manage/settings/").content.decode(),
        "typed": [typed.status_code, stored and [vars(stored)["season"], grace_of(stored)]],
        "docs": rendered("challenge fields"),
    }


def phase_field(client: Client) -> dict[str, Any]:
    """The new field of a phase."""
    heats = {"name": "Heats", "scoring_strategy": "first", "phases": [{"slug": "heat", "laps": 7}]}
    created = client.post(f"{API}/", heats, JSON).json()
    wrong = {**heats, "phases": [{"slug": "heat", "laps": 51}]}
    page = "/c/heats/manage/phases/?phase=heat"
    form = client.get(page).content.decode()
    typed = client.post(page, {**inputs(form), "laps": "9", "action": "save"})
    return {
        "created": created["phases"][0],
        "refused": client.post(f"{API}/", wrong, JSON).json()["error"]["fields"],
        "form": form,
        "typed": typed.status_code,
        "stored": client.get(f"{API}/heats/").json()["phases"][0]["laps"],
        "log": client.get("/c/heats/manage/log/").content.decode(),
        "docs": rendered("phase fields"),
    }


def grace_of(challenge: Challenge) -> object:
    return challenge.newest.frozen_fields()["grace_ms"]


TYPED = {
    "name": "Typed",
    "slug": "typed",
    "tenant": "1",
    "visibility": "public",
    "details_visibility": "auto",
    "config_visibility": "public",
    "references_visibility": "organiser",
    "on_code_change": "warn",
    "is_active": "on",
    "columns": json.dumps([]),
    "values": json.dumps([]),
    "season": "9",
    "scoring_strategy": "first",
    "counting": "best",
    "unknown_tasks": "refuse",
    "timeout_ms": "5000",
    "text_timeout_ms": "",
    "grace_ms": "750",
}
"""What an organiser types into the form of a new challenge."""
