"""The second pass of `make test` loads only the files whose tests run on each database."""

import os
from pathlib import Path

import pytest

from tests import prepare


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of names, in a checkout with two files of tests."""
    for name in ("test_boards.py", "test_rules.py"):
        path = tmp_path / "tests" / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    monkeypatch.setattr(prepare, "ROOT", tmp_path)
    monkeypatch.setattr(prepare, "DATABASE_FILES", tmp_path / "names")
    prepare.DATABASE_FILES.write_text("tests/test_boards.py\n")
    return prepare.DATABASE_FILES


def test_files_are_those_that_were_found(names: Path) -> None:
    assert prepare.database_files() == [names.parent / "tests" / "test_boards.py"]


def test_files_found_before_a_change_are_not_used(names: Path) -> None:
    found_at = names.stat().st_mtime
    os.utime(names.parent / "tests" / "test_rules.py", (found_at + 1, found_at + 1))
    assert prepare.database_files() == []


def test_without_preparation_no_file_is_left_out(names: Path) -> None:
    names.unlink()
    assert prepare.database_files() == []
