"""Preparing metric scripts: once, whoever asks, and again when it is gone."""

from __future__ import annotations

import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from leaderboard.rules.metric_specs import SCRIPT, MetricSpec
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


def test_turned_off_says_so_plainly(settings: Any) -> None:
    prepare_script(COUNT)
    settings.METRIC_SCRIPTS = False
    assert why_unavailable() == str(refused(COUNT))
    assert "METRIC_SCRIPTS=on" in why_unavailable()
    assert refused(COUNT).code == "not_installed"
    with pytest.raises(ScriptRefused, match="turned off"):
        script_of(MetricSpec(SCRIPT, SCRIPT, kwargs={"script": COUNT}))


def test_without_uv_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert refused(COUNT).code == "not_installed"
    assert "python -m pip install uv" in str(refused(COUNT))


def test_a_prepared_script_needs_neither_uv_nor_preparing(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare_script(COUNT)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "executable", "/nowhere/python")
        assert "uv" in why_unavailable()
        assert prepare_script(COUNT) == prepared
        assert prepare_script(COUNT.replace("\n", "\r\n")) == prepared, "as a browser sends it"
    assert run_script(prepared, lines_of(None, None)) == {"n": 2}


def test_each_python_has_an_environment_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare_script(COUNT)
    monkeypatch.setattr(prepare, "_PYTHON", "/usr/bin/python3.99 3.99.0")
    assert prepare_script(COUNT).folder != prepared.folder


def test_what_has_been_deleted_is_prepared_again() -> None:
    for _ in range(2):
        prepared = prepare_script(COUNT)
        assert run_script(prepared, lines_of(None)) == {"n": 1}
        shutil.rmtree(prepared.folder)


def test_many_want_the_same_script_at_once_and_it_is_prepared_once(
    scripts_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel_of_sevens(tmp_path, monkeypatch)
    gate = Gate(scripts_dir, monkeypatch)
    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(prepare_script, SEVENS) for _ in range(4)]
        eventually(lambda: gate.calls)
        gate.open()
        found = {each.result() for each in asked}
    assert gate.calls == 1
    (prepared,) = found
    assert list((scripts_dir / "scripts").iterdir()) == [prepared.folder]


def test_who_waited_for_another_is_refused_with_its_reason(
    scripts_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_from(tmp_path, monkeypatch)
    gate = Gate(scripts_dir, monkeypatch)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(refused, SEVENS)
        eventually(lambda: gate.calls)
        # Whoever comes now stands in line, or comes when the first has gone and tries it again.
        second = threads.submit(refused, SEVENS)
        gate.open()
        assert first.result().detail == second.result().detail
    assert "sevens" in str(second.result())


def test_a_refusal_is_not_remembered_for_who_asks_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_from(tmp_path, monkeypatch)
    assert "sevens" in str(refused(SEVENS))
    wheel_of_sevens(tmp_path, monkeypatch)
    assert "sevens==1.0" in prepare_script(SEVENS).said


def test_a_failure_leaves_nothing_behind_but_its_reason(
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


def test_what_a_killed_process_has_left_is_cleared_away(scripts_dir: Path) -> None:
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
