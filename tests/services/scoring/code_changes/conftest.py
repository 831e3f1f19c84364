"""A challenge whose scorer may change, empty or with twenty scored attempts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from leaderboard.models import Challenge, Tenant
from leaderboard.services.challenges import rescores
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from tests.plugin_files import folder_with, plugins
from tests.services.conftest import Submit
from tests.services.scoring.code_changes.changing import GIVES, values


@pytest.fixture
def own() -> Iterator[Path]:
    files = {"own/scorer.py": GIVES.format(score=10.0)}
    with folder_with(files) as folder, plugins(folder, "own"):
        yield folder / "own" / "scorer.py"


@pytest.fixture
def made(db: None, tenant: Tenant, own: Path) -> Callable[[str], Challenge]:
    """A challenge with a scorer that gives 10, and what it does when that changes."""

    def challenge(on_code_change: str) -> Challenge:
        fields = {
            "name": "Own",
            "scoring_strategy": "custom",
            "scoring_entrypoint": "own.scorer:Gives",
            "on_code_change": on_code_change,
        }
        return create_challenge(tenant=tenant, user=None, fields=fields)

    return challenge


@pytest.fixture
def twenty(
    made: Callable[[str], Challenge], submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Challenge]:
    """Twenty scored attempts in slices of four."""

    def challenge(on_code_change: str) -> Challenge:
        monkeypatch.setattr(rescores, "SMALLEST_SLICE", 4)
        found = made(on_code_change)
        for number in range(20):
            submit(found, f"p{number}")
        single.score_waiting()
        assert set(values(found).values()) == {10.0}
        return found

    return challenge
