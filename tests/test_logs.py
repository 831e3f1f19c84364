"""One form of log lines for our code and for the libraries."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

SAY = """
import logging, django; django.setup()
import structlog
logging.getLogger("library").warning("read %s", "it", extra={"rows": 3})
structlog.get_logger("ours").info("scored", attempt="a1")
logging.getLogger("celery.app.trace").info("came and went")
try:
    1 / 0
except ZeroDivisionError:
    logging.getLogger("django.request").exception("failed")
"""


def said(tmp_path: Path, **variables: str) -> list[dict[str, object]]:
    ended = subprocess.run(
        [sys.executable, "-c", SAY],
        cwd=Path(__file__).parent.parent,
        env={
            "PATH": os.environ["PATH"],
            "DATA_DIR": str(tmp_path),
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            **variables,
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout == ""
    return [json.loads(line) for line in ended.stderr.splitlines()]


def test_away_from_a_terminal_each_line_is_an_object(tmp_path: Path) -> None:
    library, ours, failed = said(tmp_path)
    assert (library["event"], library["level"], library["rows"]) == ("read it", "warning", 3)
    assert (ours["event"], ours["logger"], ours["attempt"]) == ("scored", "ours", "a1")
    assert "ZeroDivisionError" in str(failed["exception"])
    assert all("timestamp" in line for line in (library, ours, failed))


def test_the_level_holds_for_all(tmp_path: Path) -> None:
    assert [line["event"] for line in said(tmp_path, LOG_LEVEL="error")] == ["failed"]
    assert "came and went" in [line["event"] for line in said(tmp_path, LOG_LEVEL="debug")]
