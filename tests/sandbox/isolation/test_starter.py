"""A second user for plugins: the worker gives up root, and its children run as another user."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.sandbox import cases, scripts
from tests.sandbox.isolation.old_hosts import on_an_old_host
from tests.sandbox.ordinary import interpreter_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the layers need Linux")

CAPABILITIES = "-all,+setuid,+setgid,+kill"
NOBODY = 65534


@pytest.fixture
def as_in_compose(ordinary_home: Path) -> list[str]:
    """Return the command with which compose starts a worker: root with three capabilities, no
    more."""
    setpriv, python = shutil.which("setpriv"), interpreter_for(NOBODY)
    if os.geteuid() != 0 or setpriv is None or python is None:
        pytest.skip("needs root, setpriv of util-linux and a Python that others may run")
    limited = ["--bounding-set", CAPABILITIES, "--inh-caps=-all", "--no-new-privs"]
    return [setpriv, *limited, python, "-m", "leaderboard.sandbox.starter", "nobody", python]


def run(command: list[str], *arguments: str, home: Path) -> str:
    done = subprocess.run(
        [*command, *arguments],
        cwd=home,
        env={"PATH": "/usr/bin:/bin", "SECRET": "hunter2"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def found_by(command: list[str], home: Path) -> dict[str, Any]:
    """Return the results of the hostile table, the scripts and the report."""
    summary: dict[str, Any] = json.loads(
        run(command, "-m", "tests.sandbox.as_ordinary_user", home=home)
    )
    assert summary["uid"] == NOBODY
    assert summary["cases"] == len(cases.ALL) + len(scripts.ALL)
    assert summary["wrong"] == {}
    assert summary["model"] == {"files": 1.0}
    return summary


def test_the_worker_and_its_children_have_different_users(
    as_in_compose: list[str], ordinary_home: Path
) -> None:
    """The processes run as in Docker, whose profile refuses namespaces."""

    def act() -> None:
        summary = found_by(as_in_compose, ordinary_home)
        assert "unprivileged user" in summary["layers"]
        assert set(summary["open"]) <= {"disk use", "submissions: filling the disk"}

    on_an_old_host(act, 4)


WHO = (
    "import os; print(os.getresuid(), os.getresgid(), os.getgroups());"
    "print(open('/proc/self/status').read())"
)


def test_root_cannot_be_regained(as_in_compose: list[str], ordinary_home: Path) -> None:
    output = run(as_in_compose, "-c", WHO, home=ordinary_home)
    assert output.startswith(f"({NOBODY}, {NOBODY}, {NOBODY}) ({NOBODY}, {NOBODY}, {NOBODY}) []")
    for kind in ("Prm", "Eff", "Amb", "Inh"):
        assert f"Cap{kind}:\t{0:016x}" in output


def test_the_helper_process_ends_with_the_command(
    as_in_compose: list[str], ordinary_home: Path
) -> None:
    command = f"pass  # {uuid4()}"  # distinguishes this helper from those of other tests
    run(as_in_compose, "-c", command, home=ordinary_home)
    left = subprocess.run(
        ["pgrep", "--full", f"leaderboard.sandbox.starter nobody .*{command}"],
        capture_output=True,
        check=False,
    )
    assert left.stdout == b""


def test_without_root_it_only_executes_the_command(ordinary_home: Path) -> None:
    python = interpreter_for(NOBODY)
    if os.geteuid() != 0 or python is None:
        pytest.skip("needs root and a Python that others may run")
    done = subprocess.run(
        [python, "-m", "leaderboard.sandbox.starter", "podium", python, "-c", WHO],
        cwd=ordinary_home,
        env={},
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(f"({NOBODY}, ")
