"""A sandbox with the hostile collection, and eyes for what a scorer leaves behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.sandbox import Request, Sandbox, SandboxSettings

PLUGINS = str(Path(__file__).parent / "plugins")
SETTINGS = SandboxSettings(packages=("scorers", "hostile"), path=(PLUGINS,))


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(SETTINGS) as sandbox:
        yield sandbox


@pytest.fixture
def request_() -> Request:
    return Request({"succeeded": True, "rating": 8, "elapsed_ms": 5000}, {"timeout_ms": 5000})
