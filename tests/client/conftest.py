"""The command of the client, run in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from podium.commands.main import main

Run = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, of a user without servers."""
    for name in ("PODIUM_URL", "PODIUM_TOKEN", "PODIUM_SERVER", "PODIUM_CHALLENGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


@pytest.fixture
def run(folder: Path) -> Run:
    """Runs `podium` with arguments, and checks its exit code."""

    def ran(*arguments: str, code: int = 0, **options: Any) -> Result:
        result = CliRunner().invoke(main, arguments, catch_exceptions=False, **options)
        assert result.exit_code == code, (arguments, result.output)
        return result

    return ran
