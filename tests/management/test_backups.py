"""`backup` and `restore`: all data is restored, on either database, and replaces what was there."""

from __future__ import annotations

import json
import os
import shutil
import stat
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection
from django.db.models.functions import Now
from django.test import Client

from leaderboard.models import (
    Arena,
    Attempt,
    Challenge,
    ChallengeFile,
    Decision,
    Evidence,
    HumanLabel,
    Participant,
    Score,
    User,
    Vote,
    Webhook,
    WebhookDelivery,
    Worker,
)
from leaderboard.operating.sealing import unsealed
from leaderboard.services.events import anchors
from leaderboard.services.events.anchors import publish_anchor
from leaderboard.services.events.verifying import faults_of
from leaderboard.services.files.challenge_files import add_file
from leaderboard.services.files.store import open_file, storage
from leaderboard.services.operations import workers
from leaderboard.services.operations.backup import write_backup
from leaderboard.services.operations.restore import restore_backup
from leaderboard.services.programs.folders import unpacked
from leaderboard.services.scoring.single import score_waiting
from leaderboard.services.webhooks.deliver import PURPOSE
from leaderboard.services.webhooks.endpoints import create_webhook, ping
from leaderboard.version import VERSION
from tests.management.backups import everything, rewritten, run, with_migration
from tests.processes import MANAGE, once
from tests.services.conftest import Submit

pytestmark = pytest.mark.django_db(transaction=True)
TRUTH = ChallengeFile.Role.TRUTH


def test_everything_is_restored(filled: Challenge, tmp_path: Path, submit: Submit) -> None:
    file, before = tmp_path / "podium.backup", everything()
    output = run("backup", str(file))
    assert "rows" in output
    assert f"{settings.DATA_DIR}/secret_key.\n" in output
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    submit(filled, "late", elapsed_ms=1)
    Score.objects.all().delete()
    Path(settings.DATA_DIR, "secret_key").write_text("another key")
    output = run("restore", str(file), "--no-input")
    assert everything() == before
    assert f"of version {VERSION}" in output
    assert "sprint: no differences" in output
    key = Path(settings.DATA_DIR, "secret_key")
    assert key.read_text() == settings.SECRET_KEY
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert Path(settings.MEDIA_ROOT, "previews", "1-upload").read_bytes() == b"\x00\xffuploaded"


@pytest.mark.slow
def test_files_logs_votes_decisions_and_webhooks_are_restored(
    filled: Challenge, tmp_path: Path, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Participant.objects.order_by("pk")[:2]
    attempt = Attempt.objects.filter(participant=first).latest("pk")
    file = add_file(filled, BytesIO(b"a,b"), name="truth.csv", role=TRUTH, user=alice)
    Vote.objects.create(challenge=filled, first=first, second=second, outcome=0.5, voter="v1")
    HumanLabel.objects.create(
        attempt=attempt, task="a", sample=0, reward="r", labeller="p", value=0.5
    )
    Arena.objects.create(challenge=filled, version=1, votes=1, voters=1)
    of_all = {"challenge": filled, "participant": first, "by": alice}
    made = Decision.objects.create(**of_all, attempt=attempt, kind="left_out", task="a", reason="b")
    Decision.objects.create(**of_all, attempt=attempt, kind="undone", undoes=made, after={"n": 0.1})
    webhook, secret = create_webhook(filled, {"url": "https://93.184.215.14/hook"}, by=alice)
    ping(webhook)
    monkeypatch.setattr(anchors, "_done", set())
    assert publish_anchor()
    rows = everything()
    filled_tables = {
        "Event",
        "EventLog",
        "LogAnchor",
        "ChallengeFile",
        "Vote",
        "Decision",
        "HumanLabel",
    }
    assert all(rows[f"leaderboard.{name}"] for name in filled_tables)
    write_backup(tmp_path / "b")
    lost = add_file(filled, BytesIO(b"c,d"), name="truth.csv", role=TRUTH, user=alice)
    content = unpacked(lost)
    for model in (Decision, HumanLabel, Vote, WebhookDelivery):
        model.objects.all().delete()
    storage().delete(file.path)
    restore_backup(tmp_path / "b")
    assert everything() == rows
    assert list(faults_of(filled.pk)) == []
    with open_file(ChallengeFile.objects.get().path) as stored:
        assert stored.read() == b"a,b"
    assert unsealed(Webhook.objects.get().secret, PURPOSE) == secret
    other = add_file(filled, BytesIO(b"e,f"), name="truth.csv", role=TRUTH, user=alice)
    assert (other.pk, unpacked(other) == content) == (lost.pk, False)


def test_a_file_may_be_older_than_a_zip_can_tell(filled: Challenge, tmp_path: Path) -> None:
    os.utime(Path(settings.MEDIA_ROOT, "previews", "1-upload"), (0, 0))
    run("backup", str(tmp_path / "b"))
    with zipfile.ZipFile(tmp_path / "b") as file:
        assert file.read("files/uploads/previews/1-upload") == b"\x00\xffuploaded"


@pytest.mark.slow
def test_workers_of_a_backup_are_not_alive(filled: Challenge, tmp_path: Path) -> None:
    workers.record_alive()
    write_backup(tmp_path / "b")
    workers.remove_own_row()
    for _ in range(2):
        restore_backup(tmp_path / "b")
        assert workers.living() == []


@pytest.mark.parametrize("stored", ["", "a former key\n"])
def test_only_the_key_in_force_is_backed_up(filled: Challenge, tmp_path: Path, stored: str) -> None:
    """SECRET_KEY is in the environment; a file of a former key may still be there."""
    key = Path(settings.DATA_DIR, "secret_key")
    key.write_text(stored) if stored else key.unlink()
    assert "from the environment" in run("backup", str(tmp_path / "b"))
    assert "files/secret_key" not in zipfile.ZipFile(tmp_path / "b").namelist()
    run("restore", str(tmp_path / "b"), "--no-input")
    assert (key.read_text() if key.exists() else "") == stored


def test_a_key_that_signs_nothing_is_not_backed_up(
    filled: Challenge, tmp_path: Path, alice: User, settings: Any
) -> None:
    """A worker has a generated key of its own, with which no session was signed."""
    Client().force_login(alice)
    key = Path(settings.DATA_DIR, "secret_key")
    run("backup", str(tmp_path / "by-the-web"))
    assert "files/secret_key" in zipfile.ZipFile(tmp_path / "by-the-web").namelist()
    settings.SECRET_KEY = "of a worker" * 10
    key.write_text(settings.SECRET_KEY)
    assert f"another key than that of {key}" in run("backup", str(tmp_path / "by-a-worker"))
    assert "files/secret_key" not in zipfile.ZipFile(tmp_path / "by-a-worker").namelist()


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_page_of_before_the_restore_is_not_current_after_it(
    backup: Path, filled: Challenge, submit: Submit
) -> None:
    """Though scores after the restore raise the version of the board as far as before."""
    pages = ("/c/sprint/", "/api/v1/challenges/sprint/leaderboard/", "/c/sprint/version.json")
    for _ in range(2):
        submit(filled, "nova", elapsed_ms=3)
        score_waiting()
        tags = {path: Client().get(path)["ETag"] for path in pages}
        version = Client().get(pages[1]).json()["version"]
        restore_backup(backup)
        submit(filled, "orion", elapsed_ms=3)
        score_waiting()
        for page, tag in tags.items():
            answer = Client().get(page, headers={"If-None-Match": tag})
            assert answer.status_code == 200, page
        assert Client().get(pages[1]).json()["version"] > version
        assert "orion" in Client().get("/c/sprint/").content.decode()


def schema() -> dict[str, Any]:
    """Return the constraints and indexes of each table, by name."""
    with connection.cursor() as cursor:
        constraints = {
            table: connection.introspection.get_constraints(cursor, table)
            for table in connection.introspection.table_names(cursor)
        }
    return {table: sorted(names) for table, names in constraints.items()}


def test_the_name_of_a_file_may_be_as_long_as_possible(filled: Challenge, tmp_path: Path) -> None:
    file = Path(settings.MEDIA_ROOT, "previews", "a" * 255)
    file.write_text("uploaded")
    write_backup(tmp_path / "b")
    file.unlink()
    restore_backup(tmp_path / "b")
    assert file.read_text() == "uploaded"
    file.unlink()


def test_restored_folders_belong_to_their_owner_alone(backup: Path) -> None:
    uploads = Path(settings.MEDIA_ROOT)
    shutil.rmtree(uploads)
    restore_backup(backup)
    for folder in (uploads, uploads / "previews"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_what_a_killed_restore_left_is_deleted(backup: Path) -> None:
    folder = Path(settings.DATA_DIR)
    left = [folder / ".restored-0.part", folder / "uploads/previews/.restored-7.part"]
    for path in left:
        path.write_text("a part")
    restore_backup(backup)
    assert not any(path.exists() for path in left)


def test_a_file_is_never_overwritten(filled: Challenge, tmp_path: Path) -> None:
    (tmp_path / "b").write_text("mine")
    with pytest.raises(CommandError, match="exists already"):
        run("backup", str(tmp_path / "b"))
    assert (tmp_path / "b").read_text() == "mine"
    assert list(tmp_path.iterdir()) == [tmp_path / "b"]


def test_a_living_worker_prevents_a_restore(backup: Path) -> None:
    workers.record_alive()
    with pytest.raises(CommandError, match="every worker first: worker "):
        run("restore", str(backup), "--no-input")
    Worker.objects.update(seen_at=Now() - workers.alive_within())
    before = everything()
    run("restore", str(backup), "--no-input")
    assert everything() == before


def test_a_claimed_attempt_prevents_a_restore(backup: Path) -> None:
    Attempt.objects.filter(participant__handle="atlas").update(
        status="scoring", lease_until="2999-01-01T00:00:00Z", lease_token="0" * 32
    )
    with pytest.raises(CommandError, match="is being scored"):
        run("restore", str(backup), "--no-input")


def test_a_field_of_a_later_manifest_is_ignored(backup: Path) -> None:
    before = everything()
    rewritten(backup, "manifest.json", lambda text: json.dumps({**json.loads(text), "more": 1}))
    restore_backup(backup)
    assert everything() == before


def test_a_backup_that_names_a_former_squashed_migration(filled: Challenge, tmp_path: Path) -> None:
    former = "0001_squashed_0025_labels_that_are_translated"
    write_backup(tmp_path / "b")
    before = everything()
    rewritten(tmp_path / "b", "manifest.json", lambda text: with_migration(text, former))
    restore_backup(tmp_path / "b")
    assert everything() == before


@pytest.mark.parametrize("typed", ["version", "--version"])
def test_the_version_command_prints_only_the_version(typed: str) -> None:
    assert once([*MANAGE, typed], os.environ) == f"{VERSION}\n"
    assert run("version") == f"{VERSION}\n"
