import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.embedded.server import Embedded


@pytest.fixture
def embedded(tmp_path: Path) -> Embedded:
    return Embedded(tmp_path)


@pytest.fixture
def uninstalled(tmp_path: Path) -> Embedded:
    """A server that has not been started before, so without a database."""
    return Embedded(tmp_path, empty=True)


@pytest.fixture
def plugins() -> Iterator[Path]:
    """A folder for SCORER_PATH. The plugins' user cannot enter pytest's own folders."""
    with tempfile.TemporaryDirectory(prefix="podium-plugins-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
