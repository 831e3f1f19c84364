"""A sandbox with the hostile collection, and fixtures that detect what a scorer leaves behind."""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.sandbox import Request, Sandbox, SandboxSettings
from tests.sandbox.ordinary import copied_home

PLUGINS = str(Path(__file__).parent / "plugins")
SETTINGS = SandboxSettings(packages=("scorers", "hostile"), path=(PLUGINS,))


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(SETTINGS) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def bare() -> Iterator[Sandbox]:
    """A sandbox without the Linux layers."""
    with Sandbox(replace(SETTINGS, isolation="off")) as sandbox:
        yield sandbox


@pytest.fixture
def request_() -> Request:
    return Request({"succeeded": True, "rating": 8, "elapsed_ms": 5000}, {"timeout_ms": 5000})


@pytest.fixture
def public_tmp() -> Iterator[Path]:
    """Yield a temporary folder that the plugins' user may read; pytest's own folders are
    private."""
    with tempfile.TemporaryDirectory(prefix="podium-public-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def ordinary_home() -> Iterator[Path]:
    with copied_home() as home:
        yield home
