"""Helpers for a test that runs the sandbox as another user."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leaderboard.sandbox.host.fork_servers import PROJECT

READABLE = (
    "leaderboard/__init__.py",
    "leaderboard/facts",
    "leaderboard/importers",
    "leaderboard/predictions",
    "leaderboard/programs",
    "leaderboard/rules",
    "leaderboard/schemas",
    "leaderboard/sandbox",
)


@contextmanager
def copied_home() -> Iterator[Path]:
    """Yield a copy of the files that an ordinary user needs, in a folder that the user may read."""
    home = Path(tempfile.mkdtemp(prefix="podium-ordinary-"))
    for name in (*READABLE, "tests/sandbox"):
        source, target = Path(PROJECT, name), home / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    (home / "tests/__init__.py").touch()
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    yield home
    shutil.rmtree(home)


def interpreter_for(uid: int) -> str | None:
    """Return a Python of a supported version that another user can run, or None."""
    supported = "import sys; raise SystemExit(not (3, 11) <= sys.version_info < (3, 14))"
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        try:
            if subprocess.run([python, "-c", supported], user=uid, check=False).returncode == 0:
                return python
        except OSError:
            continue
    return None
