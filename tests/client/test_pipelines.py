"""What CI runs: the steps of the action and of the documented workflow, with bash."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Challenge
from tests.client.conftest import Run
from tests.client.test_readme import token

__all__ = ["token"]

pytestmark = [pytest.mark.django_db(transaction=True)]

ROOT: Final = Path(__file__).parents[2]
ACTION: Final = yaml.safe_load((ROOT / "ops" / "ci" / "gate" / "action.yml").read_text("utf-8"))
PAGE: Final = (ROOT / "docs" / "client.md").read_text("utf-8")
HOSTILE: Final = '"; touch x; "$(touch x)`touch x`'
PULL_REQUEST: Final = "https://github.example/pull/7"
TOOLS: Final = {
    "pip": "exit 0",
    "gh": 'printf "%s\\n" "$@" > "$RUNNER_TEMP/comment"; exit "$(cat "$RUNNER_TEMP/gh")"',
    "podium": f'exec "{sys.executable}" -m podium.commands.main "$@"',
    "python3": 'mkdir -p "$3/bin" && cp "$(dirname "$0")"/* "$3/bin"',
}
"""What stands for the programs of a runner. python3: makes an environment."""


@pytest.fixture
def runner(folder: Path) -> Mapping[str, str]:
    """The variables of a runner, whose steps run in `folder`."""
    temporary = folder.parent / "runner"
    (temporary / "tools").mkdir(parents=True)
    (temporary / "gh").write_text("0")
    for name, text in TOOLS.items():
        (temporary / "tools" / name).write_text(f"#!/bin/bash\n{text}\n")
        (temporary / "tools" / name).chmod(0o755)
    return {
        "PATH": f"{temporary / 'tools'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "client"),
        "HOME": str(temporary),
        "RUNNER_TEMP": str(temporary),
        "GITHUB_STEP_SUMMARY": str(temporary / "summary.md"),
    }


def ran(script: str, env: Mapping[str, str], folder: Path) -> int:
    """The exit code of a step, which GitHub runs in this way."""
    assert "${{" not in script, "GitHub would put a stranger's text into the script"
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(shell, cwd=folder, env={**env}, check=False, timeout=60).returncode


def gate(runner: Mapping[str, str], folder: Path, **inputs: str) -> int:
    """The exit code of the action with inputs."""
    defaults = {name: str(about.get("default", "")) for name, about in ACTION["inputs"].items()}
    values = {f"inputs.{name}": text for name, text in {**defaults, **inputs}.items()}
    values["github.event.pull_request.html_url"] = PULL_REQUEST
    code = 0
    for step in ACTION["runs"]["steps"]:
        env = {
            name: re.sub(r"\$\{\{ (\S+) \}\}", lambda match: values[match[1]], text)
            for name, text in step.get("env", {}).items()
        }
        code = code or ran(step["run"], {**runner, **env}, folder)
    return code


def test_pipelines_push_a_folder_and_gate_a_change(
    live_server: LiveServer, token: str, run: Run, folder: Path, runner: Mapping[str, str]
) -> None:
    run("login", live_server.url, "--token-stdin", input=token)
    run("challenge", "init", "exams", "--template", "gate")
    workflow: Any = yaml.safe_load(PAGE.split("```yaml\n")[1].partition("```")[0])
    ci = {**runner, "PODIUM_URL": live_server.url, "PODIUM_TOKEN": token}
    for step in workflow["jobs"]["challenge"]["steps"]:
        assert ran(step.get("run", ""), ci, folder) == 0
    samples = [{"task": f"t{at}", "sample": 0, "rewards": {"reward": 1}} for at in range(9)]
    (folder / "good.json").write_text(json.dumps({"samples": samples}))
    run("challenge", "publish", "exams", "--dry-run")
    assert Challenge.objects.get().is_draft
    run("challenge", "publish", "exams")
    run("submit", "good.json", "-c", "exams", "-p", "atlas", "--wait")
    inputs = {
        "url": live_server.url,
        "token": token,
        "challenge": Challenge.objects.get().slug,
        "candidate": "good.json",
        "baseline": "atlas",
        "github-token": "secret",
    }
    temporary = Path(runner["RUNNER_TEMP"])
    (temporary / "gh").write_text("1")  # it may not comment
    assert gate(runner, folder, **inputs) == 0
    assert PULL_REQUEST in (temporary / "comment").read_text().splitlines()
    assert "The gate passes" in (temporary / "summary.md").read_text()
    (temporary / "comment").unlink()
    assert gate(runner, folder, **dict.fromkeys(ACTION["inputs"], HOSTILE)) == 2
    assert not (temporary / "comment").exists()
    assert not (folder / "x").exists()
