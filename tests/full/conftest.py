"""One stack for all tests of the folder: each leaves it running."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.full.stack import Stack, running_stack
from tests.helpers.slow_texts import write_package


@pytest.fixture(scope="package")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    if not shutil.which("redis-server"):
        pytest.skip("redis-server is not on PATH: apt-get install redis-server")
    # The plugins' user cannot enter pytest's own folders.
    with tempfile.TemporaryDirectory(prefix="podium-plugins-") as plugins:
        Path(plugins).chmod(0o755)
        write_package(Path(plugins))
        with running_stack(tmp_path_factory.mktemp("full"), Path(plugins)) as stack:
            yield stack
