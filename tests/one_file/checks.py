"""Reads the new things in all places where they must appear, and writes what it finds as JSON.

`test_one_file.py` runs it in a copy of the project that has the files of `files.py`.
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
from tests.one_file.fact_checks import facts  # noqa: E402
from tests.one_file.field_checks import fields, phase_field  # noqa: E402
from tests.one_file.plugin_checks import plugins  # noqa: E402
from tests.one_file.standing_checks import standings  # noqa: E402
from tests.one_file.strategy_checks import conditions, strategies  # noqa: E402

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
        "conditions": conditions(client),
        "facts": facts(client),
        "fields": fields(client),
        "phase_field": phase_field(client),
        "plugins": plugins(client),
        "standings": standings(client),
    }


def said_by(*command: str) -> str:
    output = io.StringIO()
    call_command(*command, stdout=output)
    return output.getvalue()


if __name__ == "__main__":
    json.dump(main(), sys.stdout)
