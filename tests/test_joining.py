"""The files for contributors and for code hosts agree with the project."""

import re
import tomllib
from typing import Any

import pytest
import yaml

from tests.processes import ROOT

pytestmark = pytest.mark.once

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def loaded(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text())


def supported() -> list[str]:
    """Return the versions of Python in pyproject's classifiers."""
    prefix = "Programming Language :: Python :: "
    named = [classifier.removeprefix(prefix) for classifier in PROJECT["classifiers"]]
    return [version for version in named if re.fullmatch(r"3\.\d+", version)]


def recipe(target: str) -> list[str]:
    """Return the commands of a target of the Makefile, without the environment's folder."""
    makefile = (ROOT / "Makefile").read_text()
    rule = re.search(rf"^{target}:.*\n((?:\t.+\n)+)", makefile, re.MULTILINE)
    assert rule, target
    return [line.strip().removeprefix("$(RUN)/") for line in rule[1].splitlines()]


def test_the_workflow_tests_each_supported_python() -> None:
    [job] = loaded(".github/workflows/ci.yml")["jobs"].values()
    assert job["strategy"]["matrix"]["python"] == supported()
    assert PROJECT["requires-python"] == f">={supported()[0]}"
    assert "${{ matrix.python }}" in job["container"]["image"]
    assert job["env"]["PYTHON"].endswith("python${{ matrix.python }}")
    assert job["steps"][-1]["run"] == "bash .ci/run"
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_ci_takes_only_a_supported_python_of_the_system() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    limits = re.search(r"\((3, \d+)\) <= sys\.version_info < \((3, \d+)\)", script)
    assert limits
    first, end = (int(limit.removeprefix("3, ")) for limit in limits.groups())
    assert [f"3.{minor}" for minor in range(first, end)] == supported()


def test_the_hooks_run_the_commands_of_make_lint() -> None:
    [repository] = loaded(".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    hooks = repository["hooks"]
    *own, of_client = recipe("lint")
    in_shell = of_client.replace("$(abspath $(RUN))", "../.venv/bin")
    typed = [hook["entry"].removeprefix(".venv/bin/") for hook in hooks]
    assert typed == [*own, f"sh -c '{in_shell}'"]
    assert {hook["language"] for hook in hooks} == {"system"}


def test_files_that_a_page_names_exist() -> None:
    cases: list[str] = ["CONTRIBUTING.md", "SECURITY.md", "docs/releasing.md"]
    for name in cases:
        for path in re.findall(
            r"`([\w./-]+/[\w.-]*|[\w.-]+\.(?:py|toml|md|yaml))`", (ROOT / name).read_text()
        ):
            assert path.startswith("/") or (ROOT / path).exists(), path
