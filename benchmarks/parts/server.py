"""An embedded server, as `make up` starts it, on the database of the calling benchmark."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from tests.processes import Site, eventually, running
from tests.servers import free_port


@contextmanager
def embedded_server(token: str) -> Iterator[tuple[Site, int]]:
    """Run `manage.py up` without Redis; yield its site once it answers, and its process id."""
    port = free_port()
    environment = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
    environment |= {"THROTTLE_READ": "off"}
    command = [sys.executable, "manage.py", "up", "--port", str(port), "--no-demo"]
    log = Path(settings.DATA_DIR, "up.log")
    with running(command, environment, log) as process:
        eventually(lambda: "ready" in log.read_text())
        yield Site(port, token), process.pid
