"""For each hostile scorer: the right code, no process left over, and the next request is scored.

The same table runs as this user and as an ordinary one, with all layers and with those that every
POSIX system has.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from leaderboard.sandbox import Sandbox
from tests.sandbox import cases, scripts
from tests.sandbox.cases import Case
from tests.sandbox.ordinary import interpreter_for
from tests.sandbox.watching import RATING, processes, score, verdict

linux = pytest.mark.skipif(sys.platform != "linux", reason="the layers need Linux")


def check(sandbox: Sandbox, case: Case) -> None:
    outcome = score(sandbox, case.entrypoint, case.config, case.timeout_ms)
    assert not verdict(outcome, case.expected), str(case)
    assert len(outcome.output.encode()) <= 64 * 1024, str(case)
    if sys.platform == "linux":
        assert len(processes(sandbox)) <= 1, f"{case} left more than the zygote"
    assert score(sandbox, "hostile.good:Good").value == RATING * 10, str(case)


@linux
def test_ten_hostile_scorers_do_no_harm(sandbox: Sandbox) -> None:
    for case in cases.TEN:
        check(sandbox, case)


@pytest.mark.parametrize("group", ["results", "names"])
def test_scorers_that_return_or_name_nonsense_fail(sandbox: Sandbox, group: str) -> None:
    for case in cases.GROUPS[group]:
        check(sandbox, case)


@linux
@pytest.mark.slow
@pytest.mark.parametrize("group", ["endless", "deaths", "intruders", "vandals"])
def test_all_hostile_scorers_do_no_harm(sandbox: Sandbox, group: str) -> None:
    for case in cases.GROUPS[group]:
        check(sandbox, case)


HARMLESS_WITHOUT_LAYERS = ("endless", "deaths", "vandals")


@pytest.mark.slow
@pytest.mark.parametrize("group", HARMLESS_WITHOUT_LAYERS)
def test_hostile_scorers_do_no_harm_without_the_linux_layers(bare: Sandbox, group: str) -> None:
    for case in cases.GROUPS[group]:
        check(bare, case)


@linux
def test_a_daemon_ends_with_its_attempt_even_without_layers(bare: Sandbox) -> None:
    assert score(bare, "hostile.intruders:Daemon").value == 1
    assert processes(bare) == set()


@linux
def test_an_ordinary_user_is_as_safe_as_root(ordinary_home: Path) -> None:
    """The whole table and the attacks of the report run without root."""
    if os.geteuid() != 0:
        pytest.skip("this run is an ordinary user's already")
    python = interpreter_for(61777)
    if python is None:
        pytest.skip("no Python here that another user may run")
    done = subprocess.run(
        [python, "-m", "tests.sandbox.as_ordinary_user"],
        cwd=ordinary_home,
        env={"PATH": "/usr/bin:/bin", "SECRET": "hunter2"},
        user=61777,
        group=61777,
        extra_groups=[],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["uid"] == 61777
    assert summary["cases"] == len(cases.ALL) + len(scripts.ALL)
    assert summary["wrong"] == {}
    assert summary["open"] == []
    assert (summary["model"], summary["lost"]) == ({"files": 1.0}, [])
