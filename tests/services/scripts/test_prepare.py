"""Metric scripts are prepared once for all processes, and again after they were deleted."""

from __future__ import annotations

import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from leaderboard.rules.rewards.reducible import SCRIPT
from leaderboard.schemas.metrics import parse_metrics
from leaderboard.services.scripts import prepare
from leaderboard.services.scripts.prepare import ScriptRefused, prepare_script, why_unavailable
from leaderboard.services.scripts.running import run_script, script_of
from tests.metric_scripts import (
    COUNT,
    SEVENS,
    Gate,
    header,
    lines_of,
    only_from,
    refused,
    wheel_of_sevens,
)
from tests.processes import eventually

pytestmark = pytest.mark.usefixtures("scripts_dir")


def test_disabled_scripts_are_refused_with_a_clear_message(settings: Any) -> None:
    prepare_script(COUNT)
    settings.METRIC_SCRIPTS = False
    assert why_unavailable() == str(refused(COUNT))
    assert "METRIC_SCRIPTS=on" in why_unavailable()
    assert refused(COUNT).code == "not_installed"
    with pytest.raises(ScriptRefused, match="turned off"):
        script_of(parse_metrics([{"type": SCRIPT, "kwargs": {"script": COUNT}}])[0])


def test_the_error_without_uv_gives_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert refused(COUNT).code == "not_installed"
    assert "python -m pip install uv" in str(refused(COUNT))


def test_a_prepared_script_does_not_need_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare_script(COUNT)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "executable", "/nowhere/python")
        assert "uv" in why_unavailable()
        assert prepare_script(COUNT) == prepared
        assert prepare_script(COUNT.replace("\n", "\r\n")) == prepared, "as a browser sends it"
    assert run_script(prepared, lines_of(None, None)) == {"n": 2}


def test_each_python_version_has_its_own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare_script(COUNT)
    monkeypatch.setattr(prepare, "_PYTHON", "/usr/bin/python3.99 3.99.0")
    assert prepare_script(COUNT).folder != prepared.folder


def test_a_deleted_script_is_prepared_again() -> None:
    for _ in range(2):
        prepared = prepare_script(COUNT)
        assert run_script(prepared, lines_of(None)) == {"n": 1}
        shutil.rmtree(prepared.folder)


def test_concurrent_requests_prepare_a_script_once(
    scripts_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel_of_sevens(tmp_path, monkeypatch)
    gate = Gate(scripts_dir, monkeypatch)
    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(prepare_script, SEVENS) for _ in range(4)]
        eventually(lambda: gate.calls)
        gate.open()
        scripts = {future.result() for future in asked}
    assert gate.calls == 1
    (prepared,) = scripts
    assert list((scripts_dir / "scripts").iterdir()) == [prepared.folder]


def test_a_waiting_request_gets_the_same_refusal(
    scripts_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_from(tmp_path, monkeypatch)
    gate = Gate(scripts_dir, monkeypatch)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(refused, SEVENS)
        eventually(lambda: gate.calls)
        # this call waits in line, or comes after the first has ended and tries again
        second = threads.submit(refused, SEVENS)
        gate.open()
        assert first.result().detail == second.result().detail
    assert "sevens" in str(second.result())


def test_a_refused_script_is_tried_again_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_from(tmp_path, monkeypatch)
    assert "sevens" in str(refused(SEVENS))
    wheel_of_sevens(tmp_path, monkeypatch)
    assert "sevens==1.0" in prepare_script(SEVENS).messages


def test_a_failed_preparation_leaves_only_its_reason(
    scripts_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_OFFLINE", "1")
    text = header('dependencies = ["no-such-package-of-anybody"]') + COUNT
    error = refused(text)
    assert error.code == "not_installed"
    assert "no-such-package-of-anybody" in str(error)
    assert "no-such-package-of-anybody" in error.detail
    (left,) = (scripts_dir / "scripts").iterdir()
    assert left.is_file()
    assert left.stat().st_mode & 0o777 == 0o600
    os.utime(left, (0, 0))
    prepare_script(COUNT)
    assert not left.exists()


def test_files_of_a_killed_process_are_deleted(scripts_dir: Path) -> None:
    prepare_script(COUNT)
    left, busy = (
        scripts_dir / "scripts" / ".preparing-left",
        scripts_dir / "scripts" / ".preparing-busy",
    )
    for folder in (left, busy):
        folder.mkdir()
    os.utime(left, (0, 0))
    prepare_script(f"# another\n{COUNT}")
    assert (left.exists(), busy.exists()) == (False, True)
