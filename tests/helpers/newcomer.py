"""A new user's machine: a copy of the tree, an environment, and the commands that are typed."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.processes import ROOT, Site, eventually, running
from tests.scorers.test_readme import Checkout
from tests.servers import free_port


class Newcomer(Checkout):
    """A fresh copy with everything installed, so that `make` need not download anything."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        for name in ("templates", "static"):
            shutil.copytree(ROOT / name, folder / name)
        for name in ("manage.py", "Makefile", "requirements.lock", ".env.example"):
            shutil.copy(ROOT / name, folder / name)
        for stamp in (".venv/bin/pip", ".venv/.core"):
            (folder / stamp).touch()
        self.port = free_port()
        self.environment = {
            "PATH": f"{folder / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder),
            "THROTTLE_READ": "off",
            "THROTTLE_PAGES": "off",
        }

    @contextmanager
    def server(self, command: str) -> Iterator[Site]:
        """Run a command of the README; yield its server once it reports that it is ready."""
        words = [*command.split(), f"PORT={self.port}"]
        output, errors = self.folder / "output", self.folder / "errors"
        with running(words, self.environment, output, errors=errors, cwd=self.folder) as process:

            def ready() -> Any:
                assert process.poll() is None, errors.read_text()
                return re.match(r"ready http://127\.0\.0\.1:\d+\n", output.read_text())

            eventually(ready)
            yield Site(self.port)

    def type(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command of a page; its server is replaced by the one that runs here."""
        return subprocess.run(
            ["bash", "-eu", "-c", command.replace("127.0.0.1:8000", f"127.0.0.1:{self.port}")],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
