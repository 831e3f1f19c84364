"""`make test` ends with the slowest tests of both databases."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import run
from tests.slowest import slowest

pytestmark = pytest.mark.once

REPORT = """<testsuites><testsuite>{}</testsuite></testsuites>"""
CASE = '<testcase classname="tests.{}" name="test_it" time="{}"/>'


def test_the_slowest_tests_of_all_reports_come_first(tmp_path: Path) -> None:
    cases = [CASE.format(f"a{number}", number / 10) for number in range(30)]
    (tmp_path / "SQLite.xml").write_text(REPORT.format("".join(cases)))
    (tmp_path / "PostgreSQL.xml").write_text(REPORT.format(CASE.format("b", 2.75)))
    reports = [tmp_path / f"{name}.xml" for name in ("SQLite", "PostgreSQL", "stopped")]
    lines = slowest(reports)
    assert len(lines) == 20
    assert lines[:3] == [
        "    2.9 s  tests.a29::test_it (SQLite)",
        "    2.8 s  tests.a28::test_it (SQLite)",
        "    2.8 s  tests.b::test_it (PostgreSQL)",
    ]


def test_both_passes_are_listed_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first failed pass gives the exit code; the second one runs anyway."""
    asked = []

    def fake(command: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        [option] = [word for word in command if word.startswith("--junitxml=")]
        report = Path(option.partition("=")[2])
        report.write_text(REPORT.format(CASE.format(report.stem, len(asked))))
        return subprocess.CompletedProcess(command, len(asked))

    monkeypatch.setenv("DATABASE_URL_TEST", "postgresql://given/database")
    monkeypatch.setattr(subprocess, "run", fake)
    assert run.main(["-k", "it"]) == 1
    assert [command[:3] for command in asked] == [[sys.executable, "-m", "pytest"]] * 2
    assert [command[-2:] for command in asked] == [["-k", "it"]] * 2
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "== The slowest tests",
        "    2.0 s  tests.PostgreSQL::test_it (PostgreSQL)",
        "    1.0 s  tests.SQLite::test_it (SQLite)",
    ]
