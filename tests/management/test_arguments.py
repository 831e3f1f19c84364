"""Wrong names in the arguments of commands: one line says which argument, nothing is saved."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from leaderboard.models import ApiToken, Challenge, OneTimeLink, Tenant, User

pytestmark = pytest.mark.django_db

ROW = '{"participant": "atlas", "values": {"solved": 9}}\n'
TOKEN = ("create_token", "alice", "--create", "--scope")


def refused(*arguments: str) -> str:
    with pytest.raises(CommandError) as raised:
        call_command(*arguments, stdout=StringIO(), stderr=StringIO())
    return str(raised.value)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "runs.jsonl"
    path.write_text(ROW)
    return str(path)


def test_an_empty_challenge_does_not_make_a_token_for_all(sprint: Challenge) -> None:
    """As from a variable of a shell that is not set."""
    assert refused(*TOKEN, "submit", "--challenge", "") == "there is no challenge ''"
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize("command", [(*TOKEN, "organise"), ("invite",)])
def test_an_empty_tenant_is_not_any_tenant(command: tuple[str, ...]) -> None:
    for slug in ("acme", "umbrella"):
        Tenant.objects.create(slug=slug, name=slug)
    assert refused(*command, "--tenant", "").startswith("--tenant: must not be empty")
    assert not ApiToken.objects.exists()
    assert not OneTimeLink.objects.exists()


@pytest.mark.parametrize("command", [(*TOKEN, "organise"), ("invite",)])
def test_a_wrong_tenant_is_named(command: tuple[str, ...]) -> None:
    assert refused(*command, "--tenant", "not a slug").startswith("--tenant: must be letters")
    assert refused(*command, "--tenant", "t" * 61).endswith("at most 60 characters; got 61")
    assert not Tenant.objects.exists()


def test_a_wrong_user_is_named(sprint: Challenge, file: str) -> None:
    error = refused("create_token", "al ice", "--create", "--scope", "read")
    assert error.startswith("username: must be letters")
    for name, reason in (("al ice", "letters"), ("", "empty"), ("u" * 151, "150 characters")):
        error = refused("import_results", "sprint", file, "--user", name)
        assert error.startswith("--user: must ")
        assert reason in error
        assert not User.objects.filter(username=name).exists()


def test_only_an_import_creates_its_user(sprint: Challenge, file: str, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text("no JSON")
    refused("import_results", "sprint", str(wrong))
    call_command("import_results", "sprint", file, "--dry-run", stdout=StringIO())
    assert not User.objects.filter(username="import").exists()
    call_command("import_results", "sprint", file, stdout=StringIO())
    call_command("import_results", "sprint", file, "--dry-run", stdout=StringIO())
    assert User.objects.filter(username="import").exists()
