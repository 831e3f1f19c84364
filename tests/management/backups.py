"""Backups in tests: what is in the database, and files that are changed."""

from __future__ import annotations

import json
import zipfile
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db.models import Model

from leaderboard.models import Worker
from leaderboard.services.operations.backup import backed_up_models


def everything() -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of all tables except those about workers, and except `board_version`."""
    return {model._meta.label: _rows(model) for model in backed_up_models() if model is not Worker}


def _rows(model: type[Model]) -> list[tuple[Any, ...]]:
    names = [
        concrete_field.attname
        for concrete_field in model._meta.concrete_fields
        if concrete_field.name != "board_version"
    ]
    return [
        tuple(bytes(value) if isinstance(value, memoryview) else value for value in row)
        for row in model._base_manager.order_by("pk").values_list(*names)
    ]


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def rewritten(path: Path, name: str, change: Any) -> None:
    """Change the text of one member of a backup."""
    with zipfile.ZipFile(path) as old:
        members = {member: old.read(member) for member in old.namelist()}
    members[name] = change(members[name])
    with zipfile.ZipFile(path, "w") as new:
        for member, content in members.items():
            new.writestr(member, content)


def refused(path: Path, match: str) -> None:
    before = everything()
    with pytest.raises(CommandError, match=match):
        run("restore", str(path), "--no-input")
    assert everything() == before


def with_migration(text: bytes, name: str) -> bytes:
    manifest = json.loads(text)
    manifest["migrations"].append(f"leaderboard.{name}")
    return json.dumps(manifest).encode()
