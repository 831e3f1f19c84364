"""`restore` refuses a backup that is damaged, incomplete or wrong, and changes nothing."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import zipfile
from pathlib import Path
from typing import IO, Any

import pytest
from django.conf import settings
from django.db import connection

from leaderboard.models import Challenge
from leaderboard.services.operations.backup import write_backup
from leaderboard.services.operations.restore import restore_backup
from tests.management.backups import everything, refused, rewritten, with_migration
from tests.services.conftest import Submit

pytestmark = pytest.mark.django_db(transaction=True)
MEMBERS = (
    "manifest.json",
    "tables/leaderboard.attempt.jsonl",
    "files/uploads/previews/1-upload",
    "end.json",
)
USERS = "tables/leaderboard.user.jsonl"
BROKEN = (
    ("manifest.json", "{}", "^manifest.json: format: is required"),
    ("manifest.json", "[]", r"^manifest.json: .* object; got \[\]"),
    ("manifest.json", "{", "^manifest.json is missing or broken"),
    ("manifest.json", '{"format": NaN}', "^manifest.json is missing or broken"),
    ("end.json", "{}", "^end.json: rows: is required"),
    ("end.json", "[]", r"^end.json: .* object; got \[\]"),
    ("end.json", '{"rows": [], "files": 0}', "^end.json: rows: .* object"),
    ("end.json", '{"rows": {}, "files": "0"}', "^end.json: files: .* whole number"),
    ("end.json", '{"rows": {"a.b": 1.5}, "files": 0}', "^end.json: rows.a.b: .* whole"),
    (USERS, "", "^leaderboard.user: the first line"),
    (USERS, "{}\n", "^leaderboard.user: the first line"),
    (USERS, '["id"]\n[\n', "^a row must have 1 values"),
    (USERS, '["id"]\n[[]]\n', "^a row must have values of its"),
)
"""Members of a backup, a text in the place of each, and what the error says."""
WRONG_FIELDS: tuple[tuple[str, Any, str], ...] = (
    ("format", 2, "format: must be 1; got 2$"),
    ("version", 1, "version: .* text; got 1$"),
    ("migrations", "leaderboard.0001", "migrations: .* list"),
    ("migrations", ["0001"], "migrations.0: .* name such as"),
    ("tables", {"leaderboard.user": 1}, "tables: .* list"),
    ("tables", [1], "tables.0: .* text; got 1$"),
    ("tables", ["user"], "tables.0: .* name such as"),
    ("tables", ["leaderboard.of_tomorrow"], "^tables: leaderboard.of_tomorrow is not known"),
)


def test_a_truncated_backup_changes_nothing(backup: Path) -> None:
    content = backup.read_bytes()
    for kept in (0.3, 0.9, 0.999):
        backup.write_bytes(content[: int(len(content) * kept)])
        refused(backup, "no backup, or it was cut off")


def test_a_damaged_backup_changes_nothing(backup: Path) -> None:
    content = bytearray(backup.read_bytes())
    with zipfile.ZipFile(backup) as file:
        members = {name: file.getinfo(name) for name in MEMBERS}
    for name, member in members.items():
        at = member.header_offset + 30 + len(name) + member.compress_size // 2
        for damage in (0xFF, 0x01):
            damaged = content.copy()
            damaged[at] ^= damage
            backup.write_bytes(damaged)
            refused(backup, re.escape(f"{name} is damaged"))


@pytest.mark.slow
def test_a_backup_with_missing_rows_changes_nothing(backup: Path) -> None:
    member = "tables/leaderboard.standing.jsonl"
    rewritten(backup, member, lambda text: text.split(b"\n")[0] + b"\n")
    refused(backup, "does not hold the rows that it counts")


@pytest.mark.slow
def test_a_backup_with_broken_foreign_keys_changes_nothing(backup: Path) -> None:
    rewritten(backup, "tables/leaderboard.participant.jsonl", lambda text: text.split(b"\n")[0])
    rewritten(backup, "end.json", _without_participants)
    before = everything()
    with pytest.raises(Exception, match=r"(?i)constraint|foreign key"):
        restore_backup(backup)
    assert everything() == before


def _without_participants(text: bytes) -> bytes:
    end = json.loads(text)
    end["rows"]["leaderboard.participant"] = 0
    return json.dumps(end).encode()


def test_a_backup_of_a_newer_version_is_refused(backup: Path) -> None:
    rewritten(backup, "manifest.json", lambda text: with_migration(text, "9999_of_tomorrow"))
    refused(backup, "leaderboard.9999_of_tomorrow")


@pytest.mark.slow
def test_broken_members_change_nothing(backup: Path, tmp_path: Path) -> None:
    for name, text, match in BROKEN:
        shutil.copy(backup, tmp_path / "broken")
        rewritten(tmp_path / "broken", name, lambda _, text=text: text)
        refused(tmp_path / "broken", match)


def test_a_manifest_with_a_wrong_field_changes_nothing(backup: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(backup) as file:
        manifest = json.loads(file.read("manifest.json"))
    for name, value, match in WRONG_FIELDS:
        text = json.dumps({**manifest, name: value})
        shutil.copy(backup, tmp_path / "broken")
        rewritten(tmp_path / "broken", "manifest.json", lambda _, text=text: text)
        refused(tmp_path / "broken", match)


def test_a_text_that_is_too_long_changes_nothing(backup: Path) -> None:
    """SQLite may hold one, because it does not limit their length."""
    long = b'"' + b"a" * 200 + b'"'
    users = "tables/leaderboard.user.jsonl"
    rewritten(backup, users, lambda text: text.replace(b'"alice"', long))
    if connection.vendor == "postgresql":
        refused(backup, "^leaderboard.user: value too long for type character")
    else:
        restore_backup(backup)


def test_a_backup_without_a_table_changes_nothing(filled: Challenge, tmp_path: Path) -> None:
    name = "tables/leaderboard.user.jsonl"
    write_backup(tmp_path / "b")
    with zipfile.ZipFile(tmp_path / "b") as old, zipfile.ZipFile(tmp_path / "c", "w") as new:
        for member in old.namelist():
            if member != name:
                new.writestr(member, old.read(member))
    refused(tmp_path / "c", f"^{name} is missing")


def test_a_full_disk_changes_nothing(
    filled: Challenge, tmp_path: Path, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full after the key, the first file, and before the upload."""
    copy = shutil.copyfileobj

    def copy_or_fail(source: IO[bytes], target: IO[bytes], length: int) -> None:
        if "1-upload" in source.name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        copy(source, target, length)

    write_backup(tmp_path / "b")
    submit(filled, "late", elapsed_ms=1)
    key = Path(settings.DATA_DIR, "secret_key")
    key.write_text("another key")
    monkeypatch.setattr(shutil, "copyfileobj", copy_or_fail)
    upload = Path(settings.MEDIA_ROOT, "previews", "1-upload")
    refused(tmp_path / "b", f"^{re.escape(str(upload))}: No space left on device$")
    assert key.read_text() == "another key"
    assert not drafts()


def drafts() -> list[Path]:
    return [*Path(settings.DATA_DIR).rglob(".*.part")]


def test_a_database_that_is_not_replaced_keeps_its_files(backup: Path) -> None:
    rewritten(backup, "end.json", _without_participants)
    key = Path(settings.DATA_DIR, "secret_key")
    key.write_text("another key")
    refused(backup, "does not hold the rows that it counts")
    assert key.read_text() == "another key"
    assert not drafts()


def test_a_folder_in_the_place_of_a_file_changes_nothing(backup: Path) -> None:
    place = Path(settings.MEDIA_ROOT, "previews", "1-upload")
    place.unlink()
    place.mkdir()
    (place / "another").touch()
    key = Path(settings.DATA_DIR, "secret_key")
    key.write_text("another key")
    Challenge.objects.update(summary="It has changed.")
    refused(backup, f"^{re.escape(str(place))}: Is a directory$")
    assert key.read_text() == "another key"
    assert not drafts()
    shutil.rmtree(place)


def test_members_with_paths_outside_are_refused(backup: Path) -> None:
    with zipfile.ZipFile(backup, "a") as file:
        file.writestr("files/../../outside", "no")
    refused(backup, "leads out of the data folder")
    assert not Path(settings.DATA_DIR).parent.joinpath("outside").exists()


def test_a_file_that_is_no_backup_is_refused(filled: Challenge, tmp_path: Path) -> None:
    (tmp_path / "b").write_text("hello")
    refused(tmp_path / "b", "it is no backup")
    refused(tmp_path / "missing", "No such file")
    with zipfile.ZipFile(tmp_path / "zip", "w") as file:
        file.writestr("hello", "world")
    refused(tmp_path / "zip", "manifest.json is missing")
