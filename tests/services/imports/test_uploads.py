"""Uploaded files between two requests: private, limited in number, and deleted after an hour."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path

import pytest
from django.conf import settings
from django.core import signing
from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.models import User
from leaderboard.services.imports import uploads
from leaderboard.services.imports.uploads import (
    KEPT_SECONDS,
    PREVIEWS,
    REFERENCES,
    StoredUpload,
    UploadFolder,
)
from leaderboard.services.scoring.sweeper import sweep


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "MEDIA_ROOT", tmp_path)


def upload(content: bytes = b"{}", name: str = "a.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def files_of(folder: UploadFolder) -> list[Path]:
    return sorted(folder.folder.iterdir())


def grow_old(path: Path) -> None:
    long_ago = time.time() - KEPT_SECONDS - 1
    os.utime(path, (long_ago, long_ago))


def test_only_its_user_finds_an_upload(alice: User, bob: User) -> None:
    token = REFERENCES.keep(upload(b"secret", "expected.csv"), alice)
    (path,) = files_of(REFERENCES)
    assert REFERENCES.find(token, alice) == StoredUpload(path, "expected.csv")
    assert path.read_bytes() == b"secret"
    assert path.stat().st_mode & 0o077 == REFERENCES.folder.stat().st_mode & 0o077 == 0
    assert REFERENCES.find(token, bob) is None
    assert PREVIEWS.find(token, alice) is None, "it was kept for something else"
    REFERENCES.forget(token, bob)
    assert files_of(REFERENCES) == [path]
    REFERENCES.forget(token, alice)
    assert files_of(REFERENCES) == []
    assert REFERENCES.find(token, alice) is None


def test_names_from_users_are_never_used_as_paths(alice: User) -> None:
    for name in ("../../secret_key", "/etc/passwd", "a\0b"):
        token = REFERENCES.keep(upload(name=name), alice)
        (path,) = files_of(REFERENCES)
        assert path.name.startswith(f"{alice.pk}-")
        for made_up in (name, path.name, f"{token}x", signing.dumps([path.name, "a"], salt="a")):
            assert REFERENCES.find(made_up, alice) is None
            REFERENCES.forget(made_up, alice)
        assert files_of(REFERENCES) == [path]
        REFERENCES.forget(token, alice)


def test_another_upload_replaces_the_oldest_of_the_same_user(alice: User, bob: User) -> None:
    other = REFERENCES.keep(upload(), bob)
    tokens = []
    for age in range(5, 1, -1):
        tokens.append(REFERENCES.keep(upload(), alice))
        kept = REFERENCES.find(tokens[-1], alice)
        assert kept is not None
        os.utime(kept.path, (time.time() - age, time.time() - age))
    are_stored = [REFERENCES.find(token, alice) is not None for token in tokens]
    assert are_stored == [False, True, True, True]
    assert REFERENCES.find(other, bob) is not None


def test_a_preview_belongs_to_one_file(alice: User) -> None:
    first, second = PREVIEWS.keep(upload(), alice), PREVIEWS.keep(upload(), alice)
    assert PREVIEWS.find(first, alice) is None
    assert PREVIEWS.find(second, alice) is not None


def test_uploads_expire_after_an_hour(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = PREVIEWS.keep(upload(), alice)
    grow_old(*files_of(PREVIEWS))
    PREVIEWS.keep(upload(), bob)
    assert PREVIEWS.find(token, alice) is None
    token = REFERENCES.keep(upload(), alice)
    monkeypatch.setattr(uploads, "KEPT_SECONDS", -1)
    assert REFERENCES.find(token, alice) is None, "even if nobody has thrown it away"


def test_the_sweeper_deletes_abandoned_uploads(alice: User, bob: User) -> None:
    sweep()  # before the folder exists
    REFERENCES.keep(upload(), alice)
    grow_old(*files_of(REFERENCES))
    PREVIEWS.keep(upload(), alice)
    grow_old(*files_of(PREVIEWS))
    token = REFERENCES.keep(upload(), bob)
    REFERENCES.keep(upload(), alice)
    sweep()
    assert files_of(PREVIEWS) == []
    assert len(files_of(REFERENCES)) == 2
    assert REFERENCES.find(token, bob) is not None


def test_the_sweeper_continues_if_an_upload_cannot_be_deleted(
    alice: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused() -> None:
        raise PermissionError("not yours")

    monkeypatch.setattr(uploads, "forget_old", refused)
    with caplog.at_level(logging.WARNING):
        assert sweep() == 0
    assert "not yours" in caplog.text
