"""Installation of packages for metric scripts by uv, which runs none of their code."""

from __future__ import annotations

import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from leaderboard.sandbox.scripts import uv
from leaderboard.services.scripts.metric_scripts import summary
from leaderboard.services.scripts.prepare import ScriptRefused, prepare_script
from leaderboard.services.scripts.running import run_script
from tests.metric_scripts import COUNT, SEVENS, header, lines_of, only_from, refused, wheel
from tests.processes import alive, eventually, family

pytestmark = pytest.mark.usefixtures("scripts_dir")


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    only_from(tmp_path, monkeypatch)
    return tmp_path


def test_dependencies_are_installed_and_none_of_their_code_has_run(
    wheels: Path, scripts_dir: Path
) -> None:
    mark = scripts_dir / "mark"
    files = {
        "sevens.py": "SEVEN = 7\n",
        "sevens_start.pth": f"import pathlib; pathlib.Path({str(mark)!r}).touch()\n",
        "broken.py": "this does not compile\n",
    }
    wheel(wheels, "sevens", files)
    prepared = prepare_script(SEVENS)
    assert not mark.exists()
    assert "sevens==1.0" in prepared.messages
    assert list(prepared.folder.rglob("sevens.*.pyc")), "compiled, for nobody may write there later"
    assert run_script(prepared, lines_of(None)) == {"n": 7}


def test_no_package_is_built_from_source(wheels: Path, scripts_dir: Path) -> None:
    source = scripts_dir / "builds-1.0"
    source.mkdir()
    mark = scripts_dir / "mark"
    (source / "setup.py").write_text(f"open({str(mark)!r}, 'w')\n")
    (source / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: builds\nVersion: 1.0\n")
    with tarfile.open(wheels / "builds-1.0.tar.gz", "w:gz") as archive:
        archive.add(source, "builds-1.0")
    error = refused(header('dependencies = ["builds"]') + COUNT)
    assert error.code == "not_installed"
    assert not mark.exists()


def test_without_an_index_no_server_is_contacted(
    wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = header('dependencies = ["pip"]') + COUNT
    assert "provided package locations" in refused(text).detail
    monkeypatch.setenv("UV_NO_INDEX", "0")
    monkeypatch.setenv("UV_OFFLINE", "1")
    assert "in the cache" in refused(text).detail


def test_uv_gets_only_package_settings_from_the_environment(
    scripts_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    monkeypatch.setenv("UV_INDEX", "https://packages.example.org/simple")
    environment = uv._environment(scripts_dir / "cache")
    assert "SECRET_KEY" not in environment
    assert environment["UV_INDEX"] == "https://packages.example.org/simple"
    assert environment["UV_PYTHON_DOWNLOADS"] == "never"


def test_uv_is_killed_after_a_timeout(scripts_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = scripts_dir / "bin" / "uv"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nsleep 600 &\nwait\n")
    slow.chmod(0o755)
    monkeypatch.setattr(uv, "find_uv", lambda: str(slow))
    monkeypatch.setattr(uv, "PREPARE_SECONDS", 0.3)
    assert "0.3 s" in str(refused(COUNT))


@pytest.fixture
def limited(scripts_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ScriptRefused]:
    """Return a function that runs a shell script as uv, which takes too long: the error."""

    def refusal(script: str) -> ScriptRefused:
        program = scripts_dir / "uv"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setattr(uv, "find_uv", lambda: str(program))
        # Long enough for the shell to start on a busy machine.
        monkeypatch.setattr(uv, "PREPARE_SECONDS", 6)
        error = refused(COUNT)
        assert "6 s" in str(error)
        return error

    return refusal


def test_a_process_that_outlives_uv_is_killed_after_a_timeout(
    limited: Callable[[str], ScriptRefused],
) -> None:
    """It keeps the pipe of uv's messages open after uv has ended."""
    left = int(limited("sleep 600 &\necho $! >&2").detail)
    eventually(lambda: not alive(family(left)))


def test_the_output_before_a_timeout_is_kept(limited: Callable[[str], ScriptRefused]) -> None:
    script = "echo Resolving >&2\nprintf 'half a line' >&2\nsleep 600"
    assert limited(script).detail == "Resolving"


def test_the_output_is_passed_on_line_by_line_and_truncated() -> None:
    program = f"import sys; sys.stderr.write('ä{'x' * 99}\\n' * 1000 + 'end')"
    lines: list[str] = []
    messages = uv._run([sys.executable, "-c", program], {"LANG": "C.UTF-8"}, lines.append)
    assert (len(lines), lines[0], lines[-1]) == (1001, "ä" + "x" * 99, "end")
    assert len(messages) == uv.MAX_MESSAGES
    assert messages.endswith("end\n")


def test_the_installed_packages_are_summarised_in_a_line() -> None:
    assert summary("") != ""
    assert summary("All is well\nand so on") == "All is well"
    one = summary("Resolved 1 package in 5ms\nInstalled 1 package in 2ms\n + numpy==2.3.4")
    assert one == "Resolved 1 package, installed numpy==2.3.4"
    names = "".join(f" + p{n}==1\n" for n in range(14))
    many = summary(f"Resolved 14 packages in 5ms\n{names}")
    assert many.startswith("Resolved 14 packages, installed p0==1, p1==1, ")
    assert many.endswith(" p11==1 and 2 more")
