"""A challenge that has plugins of its own, and a function that uploads them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.challenge_code.uploads import read_upload
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.challenges.own_plugins import put_own_plugins, upload_of
from leaderboard.services.errors import ServiceError
from leaderboard.services.plugins.own import OwnPlugin
from tests.services.programs.conftest import zipped

Put = Callable[..., list[OwnPlugin]]

SCORER = """
from .numbers import FIVE

class Five:
    "Always five."
    def score(self, metrics, config, ctx):
        return {"score": FIVE}
"""
LONGEST = """
class Longest:
    name = "longest"
    over = "samples"
    direction = "desc"
    def compute(self, task_rewards):
        return 7.0
"""
SHORT = """
class Short:
    id = "SHORT"
    averaged = True
    supervised = False
    defaults = {"most": 1.0}
    def evaluate(self, instances, parameters):
        return {"score": {"short": 0.5}, "results": [0.5 for _ in instances]}
"""
FILES = {
    "scorer.py": SCORER,
    "numbers.py": "FIVE = 5",
    "metrics/longest.py": LONGEST,
    "text/short.py": SHORT,
}
FIVE: dict[str, Any] = {
    "scoring_strategy": "custom",
    "scoring_entrypoint": "challenge.scorer:Five",
}


@contextmanager
def refused(code: str) -> Iterator[None]:
    """Expect a refusal with this code."""
    with pytest.raises(ServiceError) as caught:
        yield
    assert caught.value.code == code


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: LazySettings) -> Path:
    settings.MEDIA_ROOT = tmp_path
    return tmp_path


@pytest.fixture
def put(alice: User) -> Put:
    """Upload files as the plugins of a challenge: `put(challenge, {"scorer.py": "…"})`."""

    def uploaded(
        challenge: Challenge, files: dict[str, str] | bytes, also: Sequence[Challenge] = ()
    ) -> list[OwnPlugin]:
        content = files if isinstance(files, bytes) else zipped(files)
        read = read_upload("own.zip", io.BytesIO(content))
        put_own_plugins(challenge, read, user=alice, also=also)
        upload = upload_of(challenge)
        assert upload is not None
        return list(upload.plugins)

    return uploaded


@pytest.fixture
def plain(tenant: Tenant, alice: User) -> Challenge:
    """A challenge without plugins of its own."""
    fields = {"name": "Plain", "scoring_strategy": "first"}
    return create_challenge(tenant=tenant, user=alice, fields=fields)


@pytest.fixture
def five(sprint: Challenge, alice: User, put: Put) -> Challenge:
    """A challenge that is scored by a scorer of its own."""
    put(sprint, FILES)
    return change_challenge(sprint, user=alice, fields=FIVE)
