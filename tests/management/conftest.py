"""Fixtures of the tests of commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from leaderboard.models import Challenge, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.operations.backup import write_backup
from leaderboard.services.operations.tallies import flush
from leaderboard.services.scoring.single import score_waiting
from leaderboard.services.tokens import create_token
from tests.notifications import notifications
from tests.people import tenant
from tests.services.conftest import Submit, alice, create, sprint, submit

__all__ = ["alice", "create", "notifications", "sprint", "submit", "tenant"]


@pytest.fixture
def filled(sprint: Challenge, submit: Submit, alice: User) -> Challenge:
    """A board with facts, samples, a token, an upload and names in several scripts."""
    flush()  # counts of earlier tests: a thread of this process may store them at any time
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


@pytest.fixture
def backup(filled: Challenge, tmp_path: Path) -> Path:
    """A backup of the board."""
    write_backup(tmp_path / "b")
    return tmp_path / "b"
