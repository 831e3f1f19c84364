"""Each kind of thing is one new file: it is written into a copy of the project and looked for."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.one_file.files import FILES
from tests.tables import PAGES, in_page, rendered

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[2]
COPIED = ("leaderboard", "scorers", "templates", "static", "tests", "docs")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `looks.py` finds in a copy with one new file of each kind."""
    project = tmp_path_factory.mktemp("project")
    for name in COPIED:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, project / name, ignore=ignored)
    for name in ("manage.py", "pyproject.toml"):
        shutil.copy(ROOT / name, project)
    for name, text in FILES.items():
        (project / name).write_text(text.lstrip())
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "DATA_DIR": str(project / "var"),
        "PYTHONPATH": str(project),
        "ALLOWED_HOSTS": "testserver",
        "LOG_LEVEL": "ERROR",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.one_file.looks"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_nothing_needs_a_migration(found: dict[str, Any]) -> None:
    assert "No changes detected" in found["migrations"]


class TestStrategy:
    def test_the_api_takes_it(self, found: dict[str, Any]) -> None:
        status, challenge = found["created"]
        assert (status, challenge["scoring_strategy"]) == (201, "cheapest"), challenge
        assert "cheapest" in found["schema"]

    def test_the_admin_offers_it(self, found: dict[str, Any]) -> None:
        assert found["admin"]["cheapest"] == "Cheapest – the success that cost least wins"

    def test_a_board_ranks_by_it(self, found: dict[str, Any]) -> None:
        assert found["board"] == ["quick", "cheap", "dear"]
        assert found["columns"][:2] == ["cost_usd", "elapsed_ms"]

    def test_the_rules_page_says_it(self, found: dict[str, Any]) -> None:
        assert "The successful attempt that cost least wins." in found["rules"]
        assert "Only successful attempts are ranked." in found["rules"]

    def test_the_documentation_lists_it(self, found: dict[str, Any]) -> None:
        row = "| `cheapest` | those that succeeded and have a value for `cost_usd` | the lowest"
        assert row in found["docs"]


@pytest.mark.parametrize("name", PAGES)
def test_the_documentation_is_up_to_date(name: str) -> None:
    assert in_page(name) == rendered(name), "python -m tests.tables writes it anew"
