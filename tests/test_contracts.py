"""The layers of the code are respected, and each rule about them detects a violation."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

ROOT = Path(__file__).parent.parent
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT_IMPORTS, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_contracts_hold() -> None:
    checked = lint(ROOT)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        (
            "leaderboard/services/scoring/planted.py",
            "import leaderboard.tasks",
            "The API and pages call services",
        ),
        (
            "leaderboard/models/planted.py",
            "import leaderboard.services",
            "The API and pages call services",
        ),
        ("leaderboard/planted.py", "", "The API and pages call services"),
        ("leaderboard/services/planted.py", "", "rooms of the services"),
        (
            "leaderboard/services/board/planted.py",
            "import leaderboard.services.scoring.single",
            "rooms of the services",
        ),
        (
            "leaderboard/services/imports/planted.py",
            "import leaderboard.services.operations.health",
            "rooms of the services",
        ),
        ("leaderboard/rules/planted.py", "import django", "know no framework"),
        (
            "leaderboard/rules/planted.py",
            "import leaderboard.facts",
            "The API and pages call services",
        ),
        (
            "leaderboard/facts/planted.py",
            "import leaderboard.strategies",
            "The API and pages call services",
        ),
        ("leaderboard/facts/planted.py", "import django", "know no framework"),
        ("leaderboard/schemas/planted.py", "import django", "know no framework"),
        (
            "leaderboard/facts/planted.py",
            "import leaderboard.schemas",
            "The API and pages call services",
        ),
        (
            "leaderboard/sandbox/host/planted.py",
            "import leaderboard.sandbox.server.zygote",
            "host imports neither its server nor its child",
        ),
        (
            "leaderboard/sandbox/host/planted.py",
            "import leaderboard.sandbox.child.plugins",
            "host imports neither its server nor its child",
        ),
        (
            "leaderboard/sandbox/child/planted.py",
            "import leaderboard.sandbox.host.pipes",
            "never import its host",
        ),
        (
            "leaderboard/sandbox/server/planted.py",
            "import leaderboard.sandbox.host.pipes",
            "never import its host",
        ),
        (
            "leaderboard/sandbox/server/layers/planted.py",
            "import leaderboard.sandbox.child.scoring",
            "parts of the sandbox are layers",
        ),
        ("leaderboard/sandbox/planted.py", "", "parts of the sandbox are layers"),
        (
            "leaderboard/sandbox/host/pipes.py",
            "import leaderboard.sandbox.host.sandbox",
            "imports in a circle",
        ),
        ("leaderboard/sandbox/planted.py", "import django.conf", "know no framework"),
        ("leaderboard/columns/planted.py", "import rest_framework", "know no framework"),
        ("scorers/planted.py", "import leaderboard.rules", "plain Python"),
        ("scorers/planted.py", "import psycopg", "plain Python"),
        ("leaderboard/models/planted.py", "import leaderboard.sandbox", "Only services"),
    ],
)
def test_a_wrong_import_is_found(tmp_path: Path, file: str, line: str, contract: str) -> None:
    for package in ("leaderboard", "scorers"):
        shutil.copytree(ROOT / package, tmp_path / package)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / file).open("a") as planted:
        planted.write(f"{line}\n")
    checked = lint(tmp_path)
    assert checked.returncode == 1
    broken = [row for row in checked.stdout.splitlines() if " BROKEN" in row]
    assert any(contract in row for row in broken), broken


def test_importing_the_package_does_nothing() -> None:
    assert (ROOT / "leaderboard" / "__init__.py").read_text() == ""


def test_the_index_of_the_decisions_is_complete() -> None:
    index = runpy.run_path(str(ROOT / "docs" / "decisions_index.py"))
    assert index["INDEX"].read_text() == index["index"](), "make format writes it"
    assert index["index"]().count("\n- ") == len(list(index["FOLDER"].glob("[0-9]*.md"))) > 50
