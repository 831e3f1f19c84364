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

from leaderboard.models import Tenant  # noqa: E402
from leaderboard.services.tokens import create_token  # noqa: E402
from tests.one_file.fact_looks import facts  # noqa: E402
from tests.one_file.plugin_looks import plugins  # noqa: E402
from tests.one_file.strategy_looks import strategies  # noqa: E402

OPENAPI = "application/vnd.oai.openapi+json"


def main() -> dict[str, Any]:
    written = said_by("makemigrations", "leaderboard", "--name", "new")
    call_command("migrate", verbosity=0)
    user = get_user_model().objects.create_superuser("maker")
    tenant, _ = Tenant.objects.get_or_create(slug="default", defaults={"name": "Default"})
    _, token = create_token(user=user, name="test", scopes=["submit", "organise"], tenant=tenant)
    client = Client(headers={"Authorization": f"Bearer {token}"})
    client.force_login(user)
    return {
        "written": written,
        "migrations": said_by("makemigrations", "--check", "--dry-run"),
        "schema": json.loads(client.get("/api/schema/", headers={"Accept": OPENAPI}).content),
        "strategies": strategies(client),
        "facts": facts(client),
        "plugins": plugins(client),
    }


def said_by(*command: str) -> str:
    said = io.StringIO()
    call_command(*command, stdout=said)
    return said.getvalue()


if __name__ == "__main__":
    json.dump(main(), sys.stdout)
