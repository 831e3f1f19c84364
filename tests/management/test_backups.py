"""`backup` and `restore`: all data is restored, on either database, and replaces what was there."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import stat
import zipfile
from io import StringIO
from pathlib import Path
from typing import IO, Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.models.functions import Now
from django.test import Client

from leaderboard.models import Attempt, Challenge, Evidence, Participant, Score, User, Worker
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.operations import workers
from leaderboard.services.operations.backup import backed_up_models, write_backup
from leaderboard.services.operations.restore import restore_backup
from leaderboard.services.scoring.single import score_waiting
from leaderboard.services.tokens import create_token
from leaderboard.version import VERSION
from tests.management.replayed import replay_migrations
from tests.processes import MANAGE, once
from tests.services.conftest import Submit

pytestmark = pytest.mark.django_db(transaction=True)
REALLY_MIGRATED = ("test_everything_is_restored", "test_the_product_works_after_a_restore")


@pytest.fixture(autouse=True)
def _migrations_are_replayed(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if request.function.__name__ not in REALLY_MIGRATED:
        replay_migrations(monkeypatch)


@pytest.fixture
def filled(sprint: Challenge, submit: Submit, alice: User) -> Challenge:
    """A board with facts, samples, a token, an upload and names in several scripts."""
    submit(sprint, "atlas", elapsed_ms=900, cost_usd=0.1 + 0.2)
    submit(sprint, "漢字 \N{ROCKET}", elapsed_ms=800)
    new = NewAttempt("borealis", {"elapsed_ms": 5}, task_rewards={"a": [1.0, None], "b": []})
    submit_attempt(challenge=sprint, user=alice, new=new)
    assert score_waiting() == 3
    create_token(user=alice, scopes=["submit"])
    upload = Path(settings.MEDIA_ROOT, "previews", "1-upload")
    upload.parent.mkdir(parents=True, exist_ok=True)
    upload.write_bytes(b"\x00\xffuploaded")
    Path(settings.DATA_DIR, "secret_key").write_text(settings.SECRET_KEY)
    return sprint


def everything() -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of all tables except those about workers."""
    return {
        model._meta.label: [
            tuple(bytes(each) if isinstance(each, memoryview) else each for each in row)
            for row in model._base_manager.order_by("pk").values_list()
        ]
        for model in backed_up_models()
        if model is not Worker
    }


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_everything_is_restored(filled: Challenge, tmp_path: Path, submit: Submit) -> None:
    file, before = tmp_path / "podium.backup", everything()
    said = run("backup", str(file))
    assert "rows" in said
    assert f"It contains the secret key of {settings.DATA_DIR}/secret_key.\n" in said
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    submit(filled, "late", elapsed_ms=1)
    Score.objects.all().delete()
    Path(settings.DATA_DIR, "secret_key").write_text("another key")
    said = run("restore", str(file), "--no-input")
    assert everything() == before
    assert f"of version {VERSION}" in said
    assert "sprint: no differences" in said
    key = Path(settings.DATA_DIR, "secret_key")
    assert key.read_text() == settings.SECRET_KEY
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert Path(settings.MEDIA_ROOT, "previews", "1-upload").read_bytes() == b"\x00\xffuploaded"


KEPT_APART = "It does not contain the secret key: {}. Keep the key of the web apart."


@pytest.mark.parametrize("stored", ["", "a former key\n"])
def test_only_the_key_in_force_is_backed_up(filled: Challenge, tmp_path: Path, stored: str) -> None:
    """SECRET_KEY is in the environment; a file of a former key may still be there."""
    key = Path(settings.DATA_DIR, "secret_key")
    key.write_text(stored) if stored else key.unlink()
    said = run("backup", str(tmp_path / "b"))
    assert KEPT_APART.format("it comes from the environment") in said
    assert "files/secret_key" not in zipfile.ZipFile(tmp_path / "b").namelist()
    run("restore", str(tmp_path / "b"), "--no-input")
    assert (key.read_text() if key.exists() else "") == stored


def test_a_key_that_signs_nothing_is_not_backed_up(
    filled: Challenge, tmp_path: Path, alice: User, settings: Any
) -> None:
    """A worker has a generated key of its own, with which no session was signed."""
    Client().force_login(alice)
    key = Path(settings.DATA_DIR, "secret_key")
    assert "It contains the secret key" in run("backup", str(tmp_path / "by-the-web"))
    settings.SECRET_KEY = "of a worker" * 10
    key.write_text(settings.SECRET_KEY)
    said = run("backup", str(tmp_path / "by-a-worker"))
    why = f"the newest session was signed with another key than that of {key}"
    assert KEPT_APART.format(why) in said
    assert "files/secret_key" not in zipfile.ZipFile(tmp_path / "by-a-worker").namelist()


def test_the_product_works_after_a_restore(
    filled: Challenge, tmp_path: Path, submit: Submit
) -> None:
    """Ids continue where they were, and foreign keys and constraints exist again."""
    before = schema()
    write_backup(tmp_path / "b")
    restore_backup(tmp_path / "b")
    assert schema() == before
    attempt = submit(Challenge.objects.get(), "newcomer", elapsed_ms=3)
    assert score_waiting() == 1
    assert Participant.objects.get(handle="newcomer").pk > Evidence.objects.count()
    assert Attempt.objects.get(pk=attempt.pk).status == Attempt.Status.SCORED


def schema() -> dict[str, Any]:
    """Return the constraints and indexes of each table, by name."""
    with connection.cursor() as cursor:
        found = {
            table: connection.introspection.get_constraints(cursor, table)
            for table in connection.introspection.table_names(cursor)
        }
    return {table: sorted(each) for table, each in found.items()}


def test_a_file_is_never_overwritten(filled: Challenge, tmp_path: Path) -> None:
    (tmp_path / "b").write_text("mine")
    with pytest.raises(CommandError, match="exists already"):
        run("backup", str(tmp_path / "b"))
    assert (tmp_path / "b").read_text() == "mine"
    assert list(tmp_path.iterdir()) == [tmp_path / "b"]


def test_a_living_worker_prevents_a_restore(filled: Challenge, tmp_path: Path) -> None:
    write_backup(tmp_path / "b")
    workers.seen()
    with pytest.raises(CommandError, match="stop every worker first: worker "):
        run("restore", str(tmp_path / "b"), "--no-input")
    Worker.objects.update(seen_at=Now() - workers.alive_within())
    before = everything()
    run("restore", str(tmp_path / "b"), "--no-input")
    assert everything() == before


def test_a_claimed_attempt_prevents_a_restore(filled: Challenge, tmp_path: Path) -> None:
    write_backup(tmp_path / "b")
    Attempt.objects.filter(participant__handle="atlas").update(
        status="scoring", lease_until="2999-01-01T00:00:00Z", lease_token="0" * 32
    )
    with pytest.raises(CommandError, match="is being scored"):
        run("restore", str(tmp_path / "b"), "--no-input")


@pytest.mark.parametrize("cut", [0.3, 0.9, 0.999])
def test_a_truncated_backup_changes_nothing(filled: Challenge, tmp_path: Path, cut: float) -> None:
    write_backup(tmp_path / "b")
    content = (tmp_path / "b").read_bytes()
    (tmp_path / "b").write_bytes(content[: int(len(content) * cut)])
    refused(tmp_path / "b", "it is no backup, or it was cut off")


@pytest.mark.parametrize(
    "name",
    [
        "manifest.json",
        "tables/leaderboard.attempt.jsonl",
        "files/uploads/previews/1-upload",
        "end.json",
    ],
)
def test_a_damaged_backup_changes_nothing(filled: Challenge, tmp_path: Path, name: str) -> None:
    write_backup(tmp_path / "b")
    content = bytearray((tmp_path / "b").read_bytes())
    with zipfile.ZipFile(tmp_path / "b") as file:
        member = file.getinfo(name)
    at = member.header_offset + 30 + len(name) + member.compress_size // 2
    for damage in (0xFF, 0x01):
        damaged = content.copy()
        damaged[at] ^= damage
        (tmp_path / "b").write_bytes(damaged)
        refused(tmp_path / "b", re.escape(f"{name} is damaged"))


def rewritten(path: Path, name: str, change: Any) -> None:
    """Change the text of one member of a backup."""
    with zipfile.ZipFile(path) as old:
        members = {each: old.read(each) for each in old.namelist()}
    members[name] = change(members[name])
    with zipfile.ZipFile(path, "w") as new:
        for each, content in members.items():
            new.writestr(each, content)


def refused(path: Path, match: str) -> None:
    before = everything()
    with pytest.raises(CommandError, match=match):
        run("restore", str(path), "--no-input")
    assert everything() == before


def test_a_backup_with_missing_rows_changes_nothing(filled: Challenge, tmp_path: Path) -> None:
    write_backup(tmp_path / "b")
    member = "tables/leaderboard.standing.jsonl"
    rewritten(tmp_path / "b", member, lambda text: text.split(b"\n")[0] + b"\n")
    refused(tmp_path / "b", "does not hold the rows that it counts")


def test_a_backup_with_broken_foreign_keys_changes_nothing(
    filled: Challenge, tmp_path: Path
) -> None:
    write_backup(tmp_path / "b")
    rewritten(
        tmp_path / "b", "tables/leaderboard.participant.jsonl", lambda text: text.split(b"\n")[0]
    )
    rewritten(tmp_path / "b", "end.json", _without_participants)
    before = everything()
    with pytest.raises(Exception, match=r"(?i)constraint|foreign key"):
        restore_backup(tmp_path / "b")
    assert everything() == before


def _without_participants(text: bytes) -> bytes:
    end = json.loads(text)
    end["rows"]["leaderboard.participant"] = 0
    return json.dumps(end).encode()


def _with_migration(text: bytes, name: str) -> bytes:
    manifest = json.loads(text)
    manifest["migrations"].append(f"leaderboard.{name}")
    return json.dumps(manifest).encode()


def test_a_backup_of_a_newer_version_is_refused(filled: Challenge, tmp_path: Path) -> None:
    write_backup(tmp_path / "b")
    rewritten(
        tmp_path / "b", "manifest.json", lambda text: _with_migration(text, "9999_of_tomorrow")
    )
    refused(tmp_path / "b", "leaderboard.9999_of_tomorrow")


def test_a_backup_that_names_a_former_squashed_migration(filled: Challenge, tmp_path: Path) -> None:
    former = "0001_squashed_0025_labels_that_are_translated"
    write_backup(tmp_path / "b")
    before = everything()
    rewritten(tmp_path / "b", "manifest.json", lambda text: _with_migration(text, former))
    restore_backup(tmp_path / "b")
    assert everything() == before


@pytest.mark.parametrize(
    ("name", "text", "match"),
    [
        ("manifest.json", "{}", "^manifest.json: format: is required"),
        ("manifest.json", "[]", "^manifest.json: must be an object; got \\[\\]"),
        ("manifest.json", "{", "^manifest.json is missing or broken"),
        ("manifest.json", '{"format": NaN}', "^manifest.json is missing or broken"),
        ("end.json", "{}", "^end.json: rows: is required"),
        ("end.json", "[]", "^end.json: must be an object; got \\[\\]"),
        ("end.json", '{"rows": [], "files": 0}', "^end.json: rows: must be an object"),
        ("end.json", '{"rows": {}, "files": "0"}', "^end.json: files: must be a whole number"),
        ("end.json", '{"rows": {"a.b": 1.5}, "files": 0}', "^end.json: rows.a.b: must be a whole"),
        ("tables/leaderboard.user.jsonl", "", "^leaderboard.user: the first line must be a list"),
        ("tables/leaderboard.user.jsonl", "{}\n", "^leaderboard.user: the first line must be"),
        ("tables/leaderboard.user.jsonl", '["id"]\n[\n', "^a row must have 1 values"),
        ("tables/leaderboard.user.jsonl", '["id"]\n[[]]\n', "^a row must have values of its"),
    ],
)
def test_broken_members_change_nothing(
    filled: Challenge, tmp_path: Path, name: str, text: str, match: str
) -> None:
    write_backup(tmp_path / "b")
    rewritten(tmp_path / "b", name, lambda _: text)
    refused(tmp_path / "b", match)


@pytest.mark.parametrize(
    ("name", "value", "match"),
    [
        ("format", 2, "^manifest.json: format: must be 1; got 2$"),
        ("version", 1, "^manifest.json: version: must be a text; got 1$"),
        ("migrations", "leaderboard.0001", "^manifest.json: migrations: must be a list"),
        ("migrations", ["0001"], "^manifest.json: migrations.0: must be a name such as"),
        ("tables", {"leaderboard.user": 1}, "^manifest.json: tables: must be a list"),
        ("tables", [1], "^manifest.json: tables.0: must be a text; got 1$"),
        ("tables", ["user"], "^manifest.json: tables.0: must be a name such as"),
        ("tables", ["leaderboard.of_tomorrow"], "^tables: leaderboard.of_tomorrow is not known"),
    ],
)
def test_a_manifest_with_a_wrong_field_changes_nothing(
    filled: Challenge, tmp_path: Path, name: str, value: Any, match: str
) -> None:
    write_backup(tmp_path / "b")
    rewritten(
        tmp_path / "b", "manifest.json", lambda text: json.dumps({**json.loads(text), name: value})
    )
    refused(tmp_path / "b", match)


def test_a_field_of_a_later_manifest_is_ignored(filled: Challenge, tmp_path: Path) -> None:
    write_backup(tmp_path / "b")
    before = everything()
    rewritten(
        tmp_path / "b", "manifest.json", lambda text: json.dumps({**json.loads(text), "more": 1})
    )
    restore_backup(tmp_path / "b")
    assert everything() == before


def test_a_backup_without_a_table_changes_nothing(filled: Challenge, tmp_path: Path) -> None:
    name = "tables/leaderboard.user.jsonl"
    write_backup(tmp_path / "b")
    with zipfile.ZipFile(tmp_path / "b") as old, zipfile.ZipFile(tmp_path / "c", "w") as new:
        for each in old.namelist():
            if each != name:
                new.writestr(each, old.read(each))
    refused(tmp_path / "c", f"^{name} is missing")


def test_a_full_disk_changes_nothing(
    filled: Challenge, tmp_path: Path, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full after the key, the first file, and before the upload."""
    copy = shutil.copyfileobj

    def copy_or_fail(source: IO[bytes], target: IO[bytes], length: int) -> None:
        if "1-upload" in target.name:
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


def test_a_database_that_is_not_replaced_keeps_its_files(filled: Challenge, tmp_path: Path) -> None:
    write_backup(tmp_path / "b")
    rewritten(tmp_path / "b", "end.json", _without_participants)
    key = Path(settings.DATA_DIR, "secret_key")
    key.write_text("another key")
    refused(tmp_path / "b", "does not hold the rows that it counts")
    assert key.read_text() == "another key"
    assert not drafts()


def test_members_with_paths_outside_are_refused(filled: Challenge, tmp_path: Path) -> None:
    write_backup(tmp_path / "b")
    with zipfile.ZipFile(tmp_path / "b", "a") as file:
        file.writestr("files/../../outside", "no")
    refused(tmp_path / "b", "leads out of the data folder")
    assert not Path(settings.DATA_DIR).parent.joinpath("outside").exists()


def test_a_file_that_is_no_backup_is_refused(filled: Challenge, tmp_path: Path) -> None:
    (tmp_path / "b").write_text("hello")
    refused(tmp_path / "b", "it is no backup")
    refused(tmp_path / "missing", "No such file")
    with zipfile.ZipFile(tmp_path / "zip", "w") as file:
        file.writestr("hello", "world")
    refused(tmp_path / "zip", "manifest.json is missing")


@pytest.mark.parametrize("typed", ["version", "--version"])
def test_the_version_command_prints_only_the_version(typed: str) -> None:
    assert once([*MANAGE, typed], os.environ) == f"{VERSION}\n"
    assert run("version") == f"{VERSION}\n"
