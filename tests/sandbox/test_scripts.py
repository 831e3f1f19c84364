"""Metric scripts in the sandbox: their answers, their failures, and what they may not do."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.rules.rewards.reductions import MAX_SCRIPT_KEYS
from leaderboard.sandbox import Failure, HostOverfull, Sandbox
from leaderboard.sandbox.child.programs import MAX_NUMBERS
from leaderboard.sandbox.host import asking, pipes
from tests.sandbox import scripts
from tests.sandbox.scripts import LINES, folder_of, problem_with, run, settings_for
from tests.sandbox.watching import processes

linux = pytest.mark.skipif(sys.platform != "linux", reason="the layers need Linux")


@pytest.fixture(scope="module")
def parent() -> Iterator[Path]:
    """Yield a folder outside pytest's own, which is closed to the user that scripts run as."""
    folder = Path(tempfile.mkdtemp(prefix="podium-scripts-"))
    folder.chmod(0o755)
    folder_of(folder, "other", "secret = 1")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def sandbox(parent: Path) -> Iterator[Sandbox]:
    with Sandbox(settings_for(parent)) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def bare(parent: Path) -> Iterator[Sandbox]:
    with Sandbox(settings_for(parent, "off")) as sandbox:
        yield sandbox


@linux
@pytest.mark.parametrize("group", scripts.GROUPS)
def test_scripts_end_as_expected_with_all_layers(
    sandbox: Sandbox, parent: Path, group: str
) -> None:
    for script in scripts.GROUPS[group]:
        problem = problem_with(run(sandbox, parent, script), script)
        assert not problem, f"{script}: {problem}"
        assert len(processes(sandbox)) <= 1, f"{script} left more than the zygote"


@pytest.mark.parametrize("group", ["good", "bad"])
def test_scripts_end_as_expected_without_the_linux_layers(
    bare: Sandbox, tmp_path: Path, group: str
) -> None:
    for script in scripts.GROUPS[group]:
        problem = problem_with(run(bare, tmp_path, script), script)
        assert not problem, f"{script}: {problem}"


@linux
def test_a_child_that_runs_no_program_sees_no_script(sandbox: Sandbox) -> None:
    """The zygote of scripts also has children that attack it for the report; they see no script."""
    report = sandbox.report()
    assert [threat.name for threat in report.threats if threat.enforced is False] == []


def test_no_script_is_blamed_for_a_host_too_busy_to_watch_it(
    bare: Sandbox, parent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A child whose lease is not renewed is ended, and the caller may ask again."""
    monkeypatch.setattr(pipes.Child, "keep", lambda self: None)
    monkeypatch.setattr(asking, "TRIES", 1)
    folder = folder_of(parent, "unwatched", "import time\ntime.sleep(600)\n")
    with pytest.raises(HostOverfull):
        bare.run_script(str(folder), LINES, timeout_ms=60_000)


def test_the_organiser_sees_all_output_of_a_script(sandbox: Sandbox, parent: Path) -> None:
    folder = folder_of(parent, "says", "import sys\nprint('first', file=sys.stderr)\n1 / 0\n")
    failure = sandbox.run_script(str(folder), LINES, timeout_ms=10_000)
    assert isinstance(failure, Failure)
    assert "ZeroDivisionError: division by zero" in failure.message
    assert "first" in failure.detail
    assert "script.py" in failure.detail


def test_each_run_has_a_new_working_folder(sandbox: Sandbox, parent: Path) -> None:
    body = "import os, sys, json\njson.dump({'n': len(os.listdir('.'))}, open(sys.argv[4], 'w'))\n"
    folder = folder_of(parent, "counts", body)
    answers = [sandbox.run_script(str(folder), LINES, timeout_ms=10_000) for _ in range(2)]
    assert answers == [{"n": 1}, {"n": 1}]


def test_a_script_may_read_many_lines(sandbox: Sandbox, parent: Path) -> None:
    body = (
        "import sys, json\njson.dump({'n': len(list(open(sys.argv[2])))}, open(sys.argv[4], 'w'))"
    )
    folder = folder_of(parent, "lines", body)
    lines = b'{"reward": 0.123456789}\n' * 100_000
    assert sandbox.run_script(str(folder), lines, timeout_ms=20_000) == {"n": 100_000}


def test_the_limits_of_both_sides_for_answers_agree() -> None:
    assert MAX_NUMBERS == MAX_SCRIPT_KEYS


def test_the_numbers_in_an_answer_are_limited(sandbox: Sandbox, parent: Path) -> None:
    for number, fits in ((MAX_NUMBERS, True), (MAX_NUMBERS + 1, False)):
        body = (
            "import sys, json\n"
            f"json.dump({{f'{{n:0120d}}': n for n in range({number})}}, open(sys.argv[4], 'w'))"
        )
        answer = sandbox.run_script(
            str(folder_of(parent, f"{number}-numbers", body)), LINES, timeout_ms=10_000
        )
        assert isinstance(answer, dict) == fits
