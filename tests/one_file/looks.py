"""Looks for the new things everywhere they must appear, and writes what it finds as JSON.

Run by `test_one_file.py` within a copy of the project that holds the files of `files.py`.
"""

import io
import json
import sys
from typing import Any

import django
from django.core.management import call_command

django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.test import Client  # noqa: E402

from leaderboard.admin.challenge_form import strategies_offered  # noqa: E402
from leaderboard.models import Challenge, Tenant  # noqa: E402
from leaderboard.services.scoring.single import score_next  # noqa: E402
from leaderboard.services.tokens import create_token  # noqa: E402
from tests.tables import rendered  # noqa: E402


def main() -> dict[str, Any]:
    call_command("migrate", verbosity=0)
    user = get_user_model().objects.create_superuser("maker")
    tenant, _ = Tenant.objects.get_or_create(slug="default", defaults={"name": "Default"})
    _, token = create_token(user=user, name="test", scopes=["submit", "organise"], tenant=tenant)
    headers = {"Authorization": f"Bearer {token}"}
    client = Client(headers=headers)
    return {
        "migrations": migrations(),
        "schema": client.get("/api/schema/?format=json").content.decode(),
        **strategies(client),
    }


def migrations() -> str:
    said = io.StringIO()
    call_command("makemigrations", "--check", "--dry-run", stdout=said)
    return said.getvalue()


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
        "count": Challenge.objects.count(),
    }


if __name__ == "__main__":
    json.dump(main(), sys.stdout)
