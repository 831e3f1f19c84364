"""A worker that was told to stop is gone soon, even if its process hangs."""

import os
import signal
from pathlib import Path

import pytest

from tests.processes import BIN, eventually, running

pytestmark = [pytest.mark.once, pytest.mark.slow]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGQUIT], ids=["warm", "cold"])
def test_a_worker_ends_although_its_shutdown_hangs(tmp_path: Path, number: signal.Signals) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "DATA_DIR": str(tmp_path / "data"),
        "READY": str(tmp_path / "ready"),
    }
    command = [
        str(BIN / "celery"),
        "--app",
        "tests.helpers.leaving",
        "worker",
        "--concurrency",
        "1",
    ]
    log = tmp_path / "log"
    with running(command, environment, log) as worker:
        eventually((tmp_path / "ready").exists)
        worker.send_signal(number)
        eventually(lambda: worker.poll() is not None)
        assert worker.poll() == 0, log.read_text()
    assert "Traceback" not in log.read_text()
