"""scorers/README.md is right: its files are written, its commands run, its outputs compared.

A fenced block has a label after its language: `title="mine.py"` is a file to write,
`title="output"` the output of the command before it; a command `fails` when it ends with status 1,
and `may-fail` when that depends on the host.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import pytest

from leaderboard.rules.failures import FAILURE_CODES
from scorers.protocol import AttemptMetrics, Instance, ScoringContext, ScoringResult, TextResult

ROOT = Path(__file__).parents[2]
README = (ROOT / "scorers" / "README.md").read_text()
FENCE = re.compile(r'(?ms)^```(\w+)(?: title="(.+?)"| (fails|may-fail))?\n(.*?)^```$')
INSTALL = "python -m pip install ./plugins"


class Block(NamedTuple):
    language: str
    title: str
    status: str
    text: str

    @property
    def statuses(self) -> tuple[int, ...]:
        return {"": (0,), "fails": (1,), "may-fail": (0, 1)}[self.status]


BLOCKS = [
    Block(match[1], match[2] or "", match[3] or "", match[4]) for match in FENCE.finditer(README)
]


class Checkout:
    """A copy of the files that a scorer's author uses, with a separate Python environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for package in ("leaderboard", "scorers"):
            shutil.copytree(
                ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__")
            )
        shutil.copy(ROOT / "manage.py", folder)
        command = [sys.executable, "-m", "venv", "--without-pip", str(folder / ".venv")]
        subprocess.run(command, check=True)
        self.packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder / ".venv")}))
        (self.packages / "project.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def write(self, name: str, text: str) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)

    def run(self, commands: str) -> subprocess.CompletedProcess[str]:
        if INSTALL in commands:
            self.install(self.folder / "plugins")
            commands = commands.replace(INSTALL, "true")
        path = f"{self.folder / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            ["bash", "-eu", "-c", commands],
            cwd=self.folder,
            env={"PATH": path, "HOME": str(self.folder)},
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )

    def install(self, source: Path) -> None:
        """Write the files that pip would leave; pip itself would have to download the build
        backend."""
        pyproject = tomllib.loads((source / "pyproject.toml").read_text())
        name, version = pyproject["project"]["name"], pyproject["project"]["version"]
        [pattern] = pyproject["tool"]["setuptools"]["packages"]["find"]["include"]
        for package in source.glob(pattern):
            shutil.copytree(package, self.packages / package.name)
        about = self.packages / f"{name.replace('-', '_')}-{version}.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        lines: list[str] = []
        for group, offered in pyproject["project"]["entry-points"].items():
            lines += [f"[{group}]", *(f"{key} = {value}" for key, value in offered.items())]
        (about / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture
def checkout() -> Iterator[Checkout]:
    """Yield a checkout outside pytest's own folder, which the plugins' user cannot enter."""
    with tempfile.TemporaryDirectory(prefix="podium-readme-") as folder:
        Path(folder).chmod(0o755)
        yield Checkout(Path(folder))


def answer(text: str) -> Any:
    """Return a printed outcome, or output document, without durations, which differ from run to
    run."""
    outcome = json.loads(text)
    if isinstance(outcome, dict):
        if "score" in outcome:  # What a metric makes of rewards has no duration.
            assert outcome.pop("duration_ms") >= 0
    else:
        assert all(entry.pop("elapsed time") >= 0 for entry in outcome)
    return outcome


@pytest.mark.slow
def test_commands_print_what_the_page_shows(checkout: Checkout) -> None:
    commands = outputs = 0
    last: subprocess.CompletedProcess[str] | None = None
    for block in BLOCKS:
        if block.language == "sh":
            last = checkout.run(block.text)
            assert last.returncode in block.statuses, block.text + last.stdout + last.stderr
            commands += 1
        elif block.title == "output":
            assert last is not None
            assert answer(last.stdout) == answer(block.text)
            outputs += 1
        elif block.title:
            checkout.write(block.title, block.text)
    assert commands == README.count("```sh") > 0
    assert outputs == README.count('title="output"') > 0


def test_a_rating_that_is_no_number_is_an_exception(checkout: Checkout) -> None:
    for block in BLOCKS:
        if block.status == "fails":
            break
        if block.title and block.title != "output":
            checkout.write(block.title, block.text)
    outcome = answer(checkout.run(block.text).stdout)
    assert outcome["score"] is None
    assert outcome["error"]["code"] == "exception"


def test_an_edited_scorer_is_run_in_its_new_version(checkout: Checkout) -> None:
    checkout.write("m.json", "{}")
    command = "python -m leaderboard.sandbox try scorers.mine:Mine --metrics m.json"
    for score in (1.0, 2.0):
        method = f"def score(self, metrics, config, ctx): return {{'score': {score}}}"
        checkout.write("scorers/mine.py", f"class Mine:\n    {method}\n")
        assert answer(checkout.run(command).stdout)["score"] == score


def test_the_text_metric_of_the_page_equals_the_file() -> None:
    [example] = [block.text for block in BLOCKS if block.title.startswith("scorers/text/")]
    file = ROOT / "scorers" / "text" / "length_ratio.py"
    assert example == file.read_text()
    assert sum(1 for line in example.splitlines() if line) <= 40


def test_the_page_names_every_field() -> None:
    for contract in (AttemptMetrics, ScoringContext, ScoringResult, Instance, TextResult):
        names = get_type_hints(contract) or [name for name in vars(contract) if name[0] != "_"]
        missing = [name for name in names if f"`{name}`" not in README]
        assert not missing, contract


def test_the_page_names_every_failure() -> None:
    table = README.split("## When it goes wrong")[1].split("##")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(FAILURE_CODES)


def test_the_page_shows_every_file_of_the_folder() -> None:
    files = {path.name for path in (ROOT / "scorers").glob("*.py")} - {"__init__.py"}
    assert not [name for name in files if f"({name})" not in README]
