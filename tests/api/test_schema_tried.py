"""Schemathesis tries the API in a process of its own.

It generates requests when it collects its tests, for a quarter of a minute: with the other tests,
every process of them would do so.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.once
@pytest.mark.slow
def test_the_api_does_what_its_schema_says() -> None:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")
    }
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--quiet",
            str(Path(__file__).with_name("schema_tried.py")),
        ],
        env=environment | {"DATABASE_URL_TEST": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in ran.stdout.splitlines() if "INFO" not in line]
    assert ran.returncode == 0, "\n".join(lines)[-20_000:]
