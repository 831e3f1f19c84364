import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.embedded.server import Embedded


@pytest.fixture
def embedded(tmp_path: Path) -> Embedded:
    return Embedded(tmp_path)


@pytest.fixture
def plugins() -> Iterator[Path]:
    """A folder for SCORER_PATH. Pytest's own are closed to the user that plugins run as."""
    with tempfile.TemporaryDirectory(prefix="podium-plugins-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
