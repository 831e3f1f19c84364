"""One stack for all tests of faults; each test leaves it running and clean."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.world import SCORERS, World, token_of
from tests.full.stack import Stack, running_stack

OPTIONS = {"THROTTLE_SUBMIT": "off", "THROTTLE_READ": "off"}
PROGRAMS = ("redis-server", "gunicorn", "worker", "beat")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            for mark in ("faults", "once", "redis", "slow"):
                item.add_marker(mark)


@pytest.fixture(scope="package")
def whole_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    if not shutil.which("redis-server"):
        pytest.skip("redis-server is not on PATH: apt-get install redis-server")
    # The plugins' user cannot enter pytest's own folders.
    with tempfile.TemporaryDirectory(prefix="podium-plugins-") as plugins:
        package = Path(plugins, "ours")
        Path(plugins).chmod(0o755)
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "faulty.py").write_text(SCORERS)
        folder = tmp_path_factory.mktemp("faults")
        with running_stack(folder, Path(plugins), as_documented=False, **OPTIONS) as stack:
            yield stack


@pytest.fixture
def world(whole_stack: Stack) -> World:
    """The stack with all processes running, for the challenges of one fault."""
    for program in PROGRAMS:
        if program not in whole_stack.running:
            whole_stack.start(program)
    world = World(whole_stack, token_of(whole_stack, "default"))
    print(f"FAULT_SEED={world.seed}")
    return world
