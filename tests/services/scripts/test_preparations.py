"""Preparations in the background: every process sees the same state, and no process blocks another
forever."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from leaderboard.sandbox.scripts import preparing
from leaderboard.services.plugins import sandboxes
from leaderboard.services.scripts import prepare
from leaderboard.services.scripts.preparations import (
    MAX_MESSAGES,
    PreparationProgress,
    Refusal,
    look_at,
    put_away,
    take,
    wait_for,
)
from leaderboard.services.scripts.prepare import (
    ScriptRefused,
    begin_preparing,
    find_prepared,
    key_of,
    prepare_script,
    progress_of,
)
from leaderboard.services.scripts.running import run_script
from tests.metric_scripts import COUNT, SEVENS, Gate, header, lines_of, only_from, wheel_of_sevens
from tests.processes import ROOT, eventually

HOLDS = """
import sys, time
from pathlib import Path
from leaderboard.services.scripts.preparations import take
preparation = take(Path(sys.argv[1]))
preparation.start()
preparation.tell("Resolved 1 package")
print("held", flush=True)
time.sleep(600)
"""


@contextmanager
def another_process_at(path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HOLDS, str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def ended(text: str) -> PreparationProgress:
    """Wait for the end of a preparation and return its state."""

    eventually(lambda: progress_of(key_of(text)).state != "running")
    return progress_of(key_of(text))


@pytest.fixture
def gate(scripts_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    """A gate at which uv waits; it has the package sevens."""
    wheel_of_sevens(tmp_path, monkeypatch)
    return Gate(scripts_dir, monkeypatch)


# The state file.


def test_without_a_state_file_a_preparation_counts_as_abandoned(tmp_path: Path) -> None:
    assert look_at(tmp_path / "state") == PreparationProgress("abandoned")


def test_one_process_prepares_and_others_see_its_progress(tmp_path: Path) -> None:
    path = tmp_path / "state"
    preparation = wait_for(path)
    with preparation:
        preparation.start()
        assert (look_at(path).state, look_at(path).messages) == ("running", "")
        preparation.tell("Resolved 1 package")
        preparation.tell("Installed <1> package: ä")
        assert look_at(path).messages == "Resolved 1 package\nInstalled <1> package: ä"
        assert take(path) is None
        preparation.forget()
    assert look_at(path) == PreparationProgress("abandoned")


def test_seconds_are_counted_from_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with wait_for(tmp_path / "state") as preparation:
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now)
        preparation.start()
        later = now + 90.5
        monkeypatch.setattr(time, "time", lambda: later)
        assert look_at(tmp_path / "state").seconds == 90


def test_the_output_is_truncated(tmp_path: Path) -> None:
    with wait_for(tmp_path / "state") as preparation:
        preparation.start()
        for _ in range(100):
            preparation.tell("x" * 999)
        preparation.refuse(Refusal("not_installed", "no", ""))
    progress = look_at(tmp_path / "state")
    assert progress.state == "refused"
    assert MAX_MESSAGES - 1000 < len(progress.messages) <= MAX_MESSAGES


def test_a_refusal_is_kept_until_the_next_preparation(tmp_path: Path) -> None:
    path = tmp_path / "state"
    refusal = Refusal("not_installed", "no such package", "error: no such package")
    with wait_for(path) as preparation:
        preparation.start()
        preparation.refuse(refusal)
    assert (look_at(path).state, look_at(path).refusal) == ("refused", refusal)
    with wait_for(path) as preparation:
        assert preparation.refused_since(time.time() - 60) == refusal
        assert preparation.refused_since(time.time() + 60) is None
        preparation.start()
        assert preparation.refused_since(0) is None
    assert look_at(path).state == "abandoned"


def test_a_preparation_of_a_killed_process_is_abandoned(tmp_path: Path) -> None:
    path = tmp_path / "state"
    with another_process_at(path) as process:
        assert (look_at(path).state, look_at(path).messages) == ("running", "Resolved 1 package")
        assert take(path) is None
        process.kill()
        process.wait()
        assert (look_at(path).state, look_at(path).messages) == ("abandoned", "Resolved 1 package")
        preparation = take(path)
        assert preparation is not None
        with preparation:
            preparation.start()
            assert (look_at(path).state, look_at(path).messages) == ("running", "")


def test_only_unused_state_files_are_deleted(tmp_path: Path) -> None:
    path = tmp_path / "state"
    with wait_for(path) as preparation:
        preparation.start()
        put_away(path, older_than=time.time() + 60)
        assert path.exists()
    put_away(path, older_than=time.time() - 60)
    assert path.exists()
    put_away(path, older_than=time.time() + 60)
    assert not path.exists()
    put_away(path, older_than=time.time() + 60)


# In the background.


def test_progress_can_be_read_during_a_preparation(gate: Gate) -> None:
    begin_preparing(SEVENS)
    eventually(lambda: "At the gate" in progress_of(key_of(SEVENS)).messages)
    assert progress_of(key_of(SEVENS)).state == "running"
    assert find_prepared(SEVENS) is None
    gate.open()
    progress = ended(SEVENS)
    assert (progress.state, progress.refusal) == ("ready", None)
    assert "sevens==1.0" in progress.messages
    assert run_script(prepare_script(SEVENS), lines_of(None)) == {"n": 7}
    assert gate.calls == 1


def test_a_second_start_joins_the_running_preparation(gate: Gate, scripts_dir: Path) -> None:
    begin_preparing(SEVENS)
    eventually(lambda: gate.calls)
    begin_preparing(SEVENS.replace("\n", "\r\n"))
    gate.open()
    assert "sevens==1.0" in prepare_script(SEVENS).messages, "which waits"
    assert ended(SEVENS).state == "ready"
    begin_preparing(SEVENS)
    assert gate.calls == 1
    (folder,) = (scripts_dir / "scripts").iterdir()
    assert folder.name == key_of(SEVENS)


def test_a_preparation_of_another_process_is_not_started_again(gate: Gate) -> None:
    path = prepare._state_of(sandboxes.scripts_folder() / key_of(SEVENS))
    with another_process_at(path) as process:
        begin_preparing(SEVENS)
        assert progress_of(key_of(SEVENS)).messages == "Resolved 1 package"
        process.kill()
        process.wait()
        assert progress_of(key_of(SEVENS)).state == "abandoned"
        assert gate.calls == 0
        begin_preparing(SEVENS)
        assert progress_of(key_of(SEVENS)).state == "running"
    gate.open()
    assert ended(SEVENS).state == "ready"
    assert gate.calls == 1


def test_at_most_two_scripts_are_prepared_at_once(gate: Gate) -> None:
    texts = [f"{SEVENS}\n# {number}" for number in range(4)]
    for text in texts:
        begin_preparing(text)
    eventually(lambda: gate.calls == prepare.AT_ONCE)
    assert {progress_of(key_of(text)).state for text in texts} == {"running"}
    gate.open()
    assert [ended(text).state for text in texts] == ["ready"] * 4
    assert gate.calls == 4


@pytest.mark.usefixtures("scripts_dir")
def test_a_refusal_can_be_read_after_the_preparation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_from(tmp_path, monkeypatch)
    begin_preparing(SEVENS)
    progress = ended(SEVENS)
    assert progress.state == "refused"
    assert progress.refusal is not None
    assert progress.refusal.code == "not_installed"
    assert "sevens" in progress.refusal.message
    assert "sevens" in progress.refusal.detail


@pytest.mark.usefixtures("scripts_dir")
def test_an_unexpected_error_ends_the_preparation(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> str:
        raise OSError("No space left on device: /srv/podium")

    monkeypatch.setattr(preparing, "environment_with", full)
    begin_preparing(COUNT)
    progress = ended(COUNT)
    assert progress.refusal is not None
    assert progress.refusal.code == "load_error"
    assert "/srv/podium" not in progress.refusal.message


def test_errors_known_beforehand_are_raised_immediately(
    scripts_dir: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(text: str) -> str:
        with pytest.raises(ScriptRefused) as caught:
            begin_preparing(text)
        assert list(scripts_dir.glob("scripts/*")) == []
        return str(caught.value)

    assert 'got "x"' in refused(header("x = 1") + COUNT)
    with monkeypatch.context() as without_uv:
        without_uv.setattr(sys, "executable", "/nowhere/python")
        assert "install uv" in refused(COUNT)
    settings.METRIC_SCRIPTS = False
    assert "METRIC_SCRIPTS=on" in refused(COUNT)


@pytest.mark.usefixtures("scripts_dir")
def test_a_key_is_never_used_as_a_path() -> None:
    for key in ("", "../db.sqlite3", "0" * 63, "../" * 21 + "a", "0" * 64):
        assert progress_of(key) == PreparationProgress("abandoned")
