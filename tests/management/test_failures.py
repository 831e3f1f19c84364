"""A command ends with one line, not with a traceback, if something fails that it needs."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from leaderboard.management.failures import line_about
from tests.processes import MANAGE

pytestmark = pytest.mark.once

AWAY = "postgresql://podium:secret@127.0.0.1:1/podium"


def start(
    tmp_path: Path, *arguments: str, out: int = subprocess.PIPE, database: str = ""
) -> subprocess.Popen[str]:
    variables = {
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "DATA_DIR": str(tmp_path / "var"),
        "DATABASE_URL": database,
        "REDIS_URL": "",
    }
    return subprocess.Popen(
        [*MANAGE, *arguments],
        env=os.environ | variables,
        stdout=out,
        stderr=subprocess.PIPE,
        text=True,
    )


def failed(tmp_path: Path, *arguments: str, database: str = "") -> str:
    """Run a command that fails; return what it writes to the standard error."""
    process = start(tmp_path, *arguments, database=database)
    _, errors = process.communicate()
    assert process.returncode == 1, errors
    return errors


def test_an_error_without_the_database_is_one_line(tmp_path: Path) -> None:
    for command in (["verify_standings"], ["create_token", "ada", "--scope", "read"]):
        message = failed(tmp_path, *command, database=AWAY)
        assert message.startswith("error: the database does not answer: "), message
        assert message.count("\n") == 1
        assert "secret" not in message
    assert "Traceback" in failed(tmp_path, "sweep", "--traceback", database=AWAY)


def test_an_error_before_the_first_migration_names_the_command(tmp_path: Path) -> None:
    message = failed(tmp_path, "rescore", "sprint")
    assert message.startswith("error: ")
    assert message.count("\n") == 1
    assert "`manage.py migrate`" in message


@pytest.mark.slow
def test_an_error_about_a_name_that_no_file_or_database_can_have_is_one_line(
    tmp_path: Path,
) -> None:
    name = "n" * 300
    assert failed(tmp_path, "evaluate", name).endswith(f"{name}: File name too long\n")
    with pytest.raises(UnicodeEncodeError) as raised:
        "é\udcff".encode()
    assert "'\\udcff'" in line_about(raised.value)


@pytest.mark.slow
def test_a_command_whose_output_nobody_reads_ends_quietly(tmp_path: Path) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    process = start(tmp_path, "showmigrations", out=writes)
    os.close(writes)
    assert (process.communicate()[1], process.returncode) == ("", 1)


@pytest.mark.slow
def test_a_command_ends_after_ctrl_c(tmp_path: Path) -> None:
    # A shell that runs the tests in the background lets them ignore Ctrl-C.
    listens = "import signal, time; signal.signal(signal.SIGINT, signal.default_int_handler)"
    waits = f"{listens}; print(1, flush=True); time.sleep(60)"
    process = start(tmp_path, "shell", "--no-imports", "--command", waits)
    assert process.stdout is not None
    assert process.stdout.readline() == "1\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert (process.communicate()[1], process.returncode) == ("interrupted\n", 130)
