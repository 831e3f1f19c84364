"""Files are whole, are stored within budgets, and are deleted once no row names them."""

from __future__ import annotations

import io
import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import transaction
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, ChallengeFile, SubmittedFile, User
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.errors import ServiceError
from leaderboard.services.files.challenge_files import add_file, remove_file
from leaderboard.services.files.store import delete_after_commit, open_file, store_file
from leaderboard.services.files.unnamed import delete_unnamed
from leaderboard.services.scoring import single
from tests.services.conftest import Submit
from tests.services.refusals import refusal

TRUTH = ChallengeFile.Role.TRUTH


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: LazySettings) -> Path:
    settings.MEDIA_ROOT = tmp_path
    return tmp_path / "files"


def add(challenge: Challenge, content: bytes, name: str = "a/truth.csv") -> ChallengeFile:
    return add_file(challenge, io.BytesIO(content), name=name, role=TRUTH, user=None)


def paths(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def submitted(attempt: Attempt, content: bytes) -> SubmittedFile:
    stored = store_file(io.BytesIO(content), name="p.csv", challenge=attempt.challenge_id)
    return SubmittedFile.objects.create(
        attempt=attempt, challenge=attempt.challenge, **stored._asdict()
    )


def test_a_file_is_stored_once(sprint: Challenge, folder: Path) -> None:
    first, second = add(sprint, b"id,y\n1,2\n"), add(sprint, b"id,y\n1,2\n", "other.csv")
    assert first == second
    assert (first.name, first.size) == ("truth.csv", 9)
    with open_file(first.path) as file:
        assert file.read() == b"id,y\n1,2\n"
    (path,) = paths(folder)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["", "..", "a\nb", "x" * 256, "folder/"])
def test_a_file_needs_a_printable_name(sprint: Challenge, name: str) -> None:
    with pytest.raises(ServiceError, match="file"):
        add(sprint, b"1", name)


def test_files_beyond_the_budget_of_a_challenge_are_refused(
    sprint: Challenge, submit: Submit, settings: LazySettings
) -> None:
    settings.CHALLENGE_FILES_MIB = 1
    submitted(submit(sprint, "atlas"), b"x" * 600_000)
    assert refusal(lambda: add(sprint, b"y" * 600_000)).code == "too_large"


@pytest.mark.django_db(transaction=True)
def test_files_without_a_row_are_deleted_after_a_day(sprint: Challenge, folder: Path) -> None:
    kept = add(sprint, b"kept")
    store_file(io.BytesIO(b"of today"), name="n", challenge=sprint.pk)
    left = store_file(io.BytesIO(b"of yesterday"), name="n", challenge=sprint.pk)
    yesterday = (timezone.now() - timedelta(hours=25)).timestamp()
    for path in (kept.path, left.path):
        os.utime(folder.parent / path, (yesterday, yesterday))
    assert delete_unnamed() == 1
    assert len(paths(folder)) == 2
    with transaction.atomic():
        delete_after_commit([kept.path])
        transaction.set_rollback(True)
    remove_file(kept)
    assert len(paths(folder)) == 1


@pytest.mark.django_db(transaction=True)
def test_erasure_deletes_files(
    sprint: Challenge, alice: User, submit: Submit, folder: Path
) -> None:
    scored, waiting = submit(sprint, "atlas"), submit(sprint, "atlas", elapsed_ms=4)
    for attempt in (scored, waiting):
        submitted(attempt, str(attempt.pk).encode())
    single.score_attempt(scored.pk)
    erase_account(alice)
    assert paths(folder) == []
    assert Attempt.objects.get() == scored
