"""Shipped plugins are imported once for all children, and otherwise behave as any plugins."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.rules.plugins.shipped import SHIPPED_SCORERS, SHIPPED_TEXT_METRICS
from leaderboard.sandbox import Sandbox, text_settings
from leaderboard.sandbox.host.fork_servers import PROJECT
from tests.sandbox import conftest
from tests.sandbox.asking import evaluated, failure, row

TEXT = text_settings(conftest.SETTINGS)
EXACT = "scorers.text.exact_match:ExactMatch"

OURS = """
import os, sys
from pathlib import Path
from leaderboard.sandbox import Sandbox, SandboxSettings, text_settings

file = Path("scorers/text/exact_match.py")


def ask(sandbox):
    with sandbox.evaluating("scorers.text.exact_match:ExactMatch", {}) as line:
        return line.evaluate([("1", "", ["a"], ["a"])], timeout_ms=60_000).results


with Sandbox(text_settings(SandboxSettings())) as sandbox:
    print(ask(sandbox))
    file.write_text(file.read_text().replace("float(plain(", "7 * float(plain("))
    print(ask(sandbox))
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yield a folder that every user may read."""
    with tempfile.TemporaryDirectory(prefix="podium-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_every_shipped_module_is_preloaded() -> None:
    files = Path(PROJECT, "scorers", "text").glob("[a-z]*.py")
    assert {f"scorers.text.{file.stem}" for file in files} == set(SHIPPED_TEXT_METRICS)
    files = Path(PROJECT, "scorers").glob("[a-z]*.py")
    names = {f"scorers.{file.stem}" for file in files}
    assert names - {"scorers.protocol"} == set(SHIPPED_SCORERS)


def test_the_next_child_uses_an_edited_file(folder: Path) -> None:
    for name in ("leaderboard", "scorers"):
        shutil.copytree(Path(PROJECT, name), folder / name)
    ran = subprocess.run(
        [sys.executable, "-c", OURS], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ran.stdout.split() == ["[1.0]", "[7.0]"], ran.stderr


def test_another_package_of_the_same_name_comes_first(folder: Path) -> None:
    package = folder / "scorers" / "text"
    package.mkdir(parents=True)
    (folder / "scorers" / "__init__.py").touch()
    (package / "__init__.py").touch()
    ours = Path(PROJECT, "scorers", "text", "length_ratio.py").read_text()
    for theirs in (package / "exact_match.py", folder / "scorers" / "protocol.py"):
        theirs.write_text("Instance = Parameters = TextResult = object\n")
    (package / "exact_match.py").write_text(
        ours.replace("class LengthRatio", "class ExactMatch").replace("LENGTH_RATIO", "THEIRS")
    )
    for beside in ("_plain.py", "_unspaced.py"):
        shutil.copy(Path(PROJECT, "scorers", "text", beside), package)
    for file in folder.rglob("*"):
        os.chmod(file, 0o755)
    settings = replace(TEXT, path=(str(folder),))
    with Sandbox(settings) as sandbox, sandbox.evaluating(EXACT, {}) as line:
        evaluation = evaluated(line.evaluate([row(1, "a b", refs=["c"])], timeout_ms=60_000))
    assert evaluation.score == {"length_ratio": 2.0}


def test_shipped_plugins_are_missing_if_settings_do_not_name_them() -> None:
    named = "hostile.text.imports_ours:ImportsOurs"
    settings = replace(TEXT, packages=("hostile",))
    with Sandbox(settings) as sandbox, sandbox.evaluating(named, {}) as line:
        error = failure(line.evaluate([row(1, "a")], timeout_ms=60_000))
    assert (error.code, "scorers" in error.message) == ("not_installed", True)
