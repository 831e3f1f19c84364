"""Runs a part of this folder in a process of its own.

Schemathesis generates requests when it collects its tests, for many seconds: with the other tests,
every process of them would do so. The parts run beside each other, so that none is the last.
"""

import os
import subprocess
import sys
from pathlib import Path


def try_part(name: str) -> None:
    """Run all tests of `NAME.py`, on SQLite. AssertionError, with their output, if one fails."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    part = Path(__file__).with_name(f"{name}.py")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "--quiet", str(part)],
        env=environment | {"DATABASE_URL_TEST": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in ran.stdout.splitlines() if "INFO" not in line]
    assert ran.returncode == 0, "\n".join(lines)[-20_000:]
