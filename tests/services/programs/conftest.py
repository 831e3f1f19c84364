"""A challenge whose submitted files a program scores."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from leaderboard.models import Attempt, Challenge, ChallengeFile, User
from leaderboard.sandbox import SandboxSettings
from leaderboard.sandbox.host.fork_servers import borrow, give_back
from leaderboard.services.attempts.new_attempts import NewAttempt, SentFile
from leaderboard.services.attempts.submit import submit_attempt
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.files.challenge_files import add_file
from tests.programs.twins import Files

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
    server = borrow(SandboxSettings().preload)
    yield
    give_back(server)


def content_of(files: Files) -> tuple[bytes, str]:
    """The only file with its name, or a zip of several."""
    if len(files) > 1:
        return zipped(files), "files.zip"
    ((name, text),) = files.items()
    return text.encode(), name


def stored(challenge: Challenge, role: Role, files: Files) -> str:
    """Store files as a zip, or the only one under its own name; returns the digest."""
    content, name = content_of(files)
    return add_file(challenge, io.BytesIO(content), name=name, role=role, user=None).sha256


def use_program(challenge: Challenge, user: User, **program: Any) -> Challenge:
    fields = {
        "scoring_strategy": "metric",
        "program": program,
        "rank_by": [{"key": key} for key in program["values"]],
    }
    return change_challenge(challenge, user=user, fields=fields)


@pytest.fixture
def upload(alice: User) -> Upload:
    """Submit a file as alice: `upload(challenge, "atlas", {"p.csv": "…"})`."""

    def uploaded(challenge: Challenge, participant: str, files: Files) -> Attempt:
        content, name = content_of(files)
        file = SentFile(io.BytesIO(content), name)
        new = NewAttempt(participant=participant)
        return submit_attempt(challenge=challenge, user=alice, new=new, file=file)[0]

    return uploaded
