"""A challenge whose submitted files a program scores."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from leaderboard.models import Attempt, Challenge, ChallengeFile, SubmittedFile, User
from leaderboard.sandbox.host.fork_servers import borrow, give_back
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.files.challenge_files import add_file
from leaderboard.services.files.store import store_file
from tests.programs.twins import Files
from tests.services.conftest import Submit

Role = ChallengeFile.Role
Upload = Callable[..., Attempt]


def zipped(files: Files) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: LazySettings) -> Iterator[None]:
    settings.MEDIA_ROOT = tmp_path
    server = borrow(())
    yield
    give_back(server)


def stored(challenge: Challenge, role: Role, files: Files, name: str = "files.zip") -> str:
    """Store files as a zip, or the only one under its own name; returns the digest."""
    content = zipped(files)
    if len(files) == 1:
        ((name, text),) = files.items()
        content = text.encode()
    return add_file(challenge, io.BytesIO(content), name=name, role=role, user=None).sha256


def use_program(challenge: Challenge, user: User, **program: Any) -> Challenge:
    fields = {
        "scoring_strategy": "metric",
        "program": program,
        "rank_by": [{"key": key} for key in program["values"]],
    }
    return change_challenge(challenge, user=user, fields=fields)


@pytest.fixture
def upload(submit: Submit) -> Upload:
    """Submit a file as alice: `upload(challenge, "atlas", {"p.csv": "…"})`."""

    def uploaded(challenge: Challenge, participant: str, files: Files) -> Attempt:
        attempt = submit(challenge, participant)
        content, name = zipped(files), "code.zip"
        if len(files) == 1:
            ((name, text),) = files.items()
            content = text.encode()
        file = store_file(io.BytesIO(content), name=name, challenge=challenge.pk)
        SubmittedFile.objects.create(attempt=attempt, challenge=challenge, **file._asdict())
        return attempt

    return uploaded
