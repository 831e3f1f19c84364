"""Imported history, and challenges that are scored with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.models import Challenge, Tenant
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import batch_claims, others
from tests.plugin_files import folder_with, plugins
from tests.services.scoring.history.batches import SCORER


@pytest.fixture(autouse=True)
def sizes(monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """Forget what this process knows of the speed of scorers."""
    monkeypatch.setattr(others, "SECONDS_PER_LOOK", 600.0)
    own_sizes: dict[int, int] = {}
    monkeypatch.setattr(batch_claims, "_sizes", own_sizes)
    return own_sizes


@pytest.fixture
def own() -> Iterator[Path]:
    """Yield the file of a scorer that returns the given time, and ends its process at 7."""
    files = {"own/steps.py": SCORER.replace("{score}", 'float(metrics["elapsed_ms"])')}
    with folder_with(files) as folder, plugins(folder, "own"):
        yield folder / "own" / "steps.py"


@pytest.fixture
def scored_by(tenant: Tenant, own: Path) -> Callable[..., Challenge]:
    def challenge(**fields: Any) -> Challenge:
        plain = {
            "name": "Own",
            "scoring_strategy": "custom",
            "scoring_entrypoint": "own.steps:Steps",
        }
        return create_challenge(tenant=tenant, user=None, fields=plain | fields)

    return challenge
