"""The layers of the code are respected, and each rule about them detects a violation."""

import ast
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
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
    for folder in (ROOT, ROOT / "client"):
        checked = lint(folder)
        assert checked.returncode == 0, checked.stdout


PLANTED = [
    ("leaderboard/rules/json/planted.py", "import leaderboard.rules.ranking", "rooms of the rules"),
    (
        "leaderboard/importers/reading/planted.py",
        "import leaderboard.importers.formats",
        "rooms of the importers",
    ),
    ("leaderboard/pages/tables/planted.py", "import leaderboard.pages.board", "rooms of the pages"),
    (
        "leaderboard/services/board/reading/planted.py",
        "import leaderboard.services.board.certainty",
        "rooms of boards",
    ),
    (
        "leaderboard/services/competition/quotas/planted.py",
        "import leaderboard.services.competition.visible",
        "rooms of competitions",
    ),
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
    (
        "leaderboard/services/accounts/planted.py",
        "import leaderboard.services.scoring.single",
        "rooms of the services",
    ),
    (
        "leaderboard/services/accounts/planted.py",
        "import leaderboard.services.attempts.submit",
        "Accounts need no other room",
    ),
    (
        "leaderboard/services/accounts/planted.py",
        "import leaderboard.services.board.reading.ranking",
        "Accounts need no other room",
    ),
    ("leaderboard/rules/planted.py", "import django", "know no framework"),
    ("leaderboard/rules/planted.py", "import leaderboard.facts", "The API and pages call services"),
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
    (
        "leaderboard/services/board/planted.py",
        "import leaderboard.sandbox.host.pipes",
        "No other room than services.plugins",
    ),
    (
        "leaderboard/management/planted.py",
        "import leaderboard.sandbox.host.sources",
        "No other room than services.plugins",
    ),
]
"""Files, a line that is added to each, and a part of the name of the contract that it breaks."""


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a copy of the product with all planted lines breaks: the report of each contract."""
    folder = tmp_path_factory.mktemp("planted")
    for package in ("leaderboard", "scorers"):
        shutil.copytree(ROOT / package, folder / package)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for file, line, _ in PLANTED:
        with (folder / file).open("a") as planted:
            planted.write(f"{line}\n")
    checked = lint(folder)
    assert checked.returncode == 1
    _, _, reports = checked.stdout.partition("Broken contracts")
    _, *parts = re.split(r"\n\n([^\n]+)\n-{5,}\n", reports)
    return {
        name: " ".join(text.split()) for name, text in zip(parts[::2], parts[1::2], strict=True)
    }


def test_a_wrong_import_is_found(broken: dict[str, str]) -> None:
    for file, line, contract in PLANTED:
        [report] = [text for name, text in broken.items() if contract in name]
        assert _reported(file.removesuffix(".py").replace("/", "."), line) in report, (file, line)


def _reported(module: str, line: str) -> str:
    """What a report says about the line, or about a module without one that is in no layer."""
    imported = line.removeprefix("import ")
    if not imported:
        return f"- {module}"
    if module.rpartition(".")[0] == imported.rpartition(".")[0]:  # a circle between neighbours
        return f"- .{module.rpartition('.')[2]} -> .{imported.rpartition('.')[2]} "
    return f"- {module} -> {imported.removesuffix('.conf')} "


def sources() -> dict[str, str]:
    """Return the text of each module of the product, by its name; a package is its `__init__`."""
    return {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): (
            file.read_text()
        )
        for package in ("leaderboard", "scorers")
        for file in (ROOT / package).rglob("*.py")
    }


def circles_with_packages(modules: Mapping[str, str]) -> list[str]:
    """Return `MEMBER <-> PACKAGE` for each that a package imports and that imports the package.

    A contract about neighbours cannot see them. `from package import member` imports the member.
    """
    imports = {
        name: {member if member in modules else module for module, member in imported(text)}
        for name, text in modules.items()
    }
    return [
        f"{member} <-> {package}"
        for package in sorted(modules)
        for member in sorted(reached(package, imports))
        if package in imports[member]
    ]


@cache
def imported(text: str) -> frozenset[tuple[str, str]]:
    """Return the imports of a text, also within its functions: modules, and names in them."""
    imports = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imports |= {(name.name, name.name) for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imports |= {(node.module, f"{node.module}.{name.name}") for name in node.names}
    return frozenset(imports)


def reached(package: str, imports: Mapping[str, set[str]]) -> set[str]:
    """Return the members that a package imports, directly or through other members."""
    modules: set[str] = set()
    waiting = [package]
    while waiting:
        for name in imports[waiting.pop()]:
            if name.startswith(f"{package}.") and name in imports and name not in modules:
                modules.add(name)
                waiting.append(name)
    return modules


def test_no_package_imports_a_member_that_imports_the_package() -> None:
    assert circles_with_packages(sources()) == []


def score_models_in(source: str) -> list[str]:
    """Return the imports of `Score` and `Standing`, and the reads of an attempt's `scores`."""
    return [
        ast.unparse(node)
        for node in ast.walk(ast.parse(source))
        if (isinstance(node, ast.Attribute) and node.attr in ("scores", "standings"))
        or (
            isinstance(node, ast.ImportFrom)
            and (node.module or "").startswith("leaderboard.models")
            and (
                {"Score", "Standing"} & {name.name for name in node.names}
                or (node.module or "").endswith((".score", ".standing"))
            )
        )
        or (
            isinstance(node, ast.Import)
            and {"leaderboard.models.score", "leaderboard.models.standing"}
            & {name.name for name in node.names}
        )
    ]


def test_api_and_pages_leave_scores_and_standings_to_services() -> None:
    """Services know which of them a reader may see; `ReadScore` is the type of one that is read."""
    score_models = {
        name: wrong
        for name, source in sources().items()
        if name.startswith(("leaderboard.api.", "leaderboard.pages."))
        if (wrong := score_models_in(source))
    }
    assert score_models == {}


def test_importing_the_package_does_nothing() -> None:
    assert (ROOT / "leaderboard" / "__init__.py").read_text() == ""


def test_the_index_of_the_decisions_is_complete() -> None:
    index = runpy.run_path(str(ROOT / "docs" / "decisions_index.py"))
    assert index["INDEX"].read_text() == index["index"](), "make format writes it"
    assert index["index"]().count("\n- ") == len(list(index["FOLDER"].glob("[0-9]*.md"))) > 50
