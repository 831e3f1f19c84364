"""Programs in the sandbox: what they see and write, how they end, and what they may not do."""

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.sandbox import Sandbox, SandboxSettings
from leaderboard.sandbox.contract import Command, CommandResult
from leaderboard.sandbox.host.commands import COMMAND_LIMITS
from leaderboard.sandbox.host.fork_servers import borrow, give_back

linux = pytest.mark.skipif(sys.platform != "linux", reason="the layers need Linux")
LIMITS = replace(COMMAND_LIMITS, memory_bytes=600 << 20, file_bytes=8 << 20, files=64)
HEAD = """
import json, os, sys, time
given, out = sys.argv[1:]
def write(name, text):
    with open(os.path.join(out, name), "w") as file:
        file.write(text)
"""
GOOD = {
    "reads, writes": "write('a.txt', open(given + '/x.txt').read())",
    "makes folders": "os.makedirs(out + '/b/c'); write('b/c/d', 'x' * 300_000)",
    "imports its module": "import beside; write('a', beside.NAME)",
    "has a user": "import getpass; write('a', getpass.getuser())",
    "has a temporary folder": "import tempfile; write('a', tempfile.mkdtemp())",
    "floods": "print('x' * 10**7); write('a', 'x')",
    "links are left out": "write('a', 'x')\ntry: os.symlink('a', out + '/b')\nexcept OSError: pass",
}
BAD = {
    "1 / 0": ("exception", "The program stopped: ZeroDivisionError: division by zero"),
    "raise SystemExit('no /etc/x/y')": ("exception", "The program stopped: no …"),
    "os._exit(3)": ("exception", "exit code 3"),
    "os.abort()": ("crashed", "SIGABRT"),
    "while True: pass": ("timeout", "longer than 1 s"),
    "import signal; signal.signal(6, signal.SIG_IGN); time.sleep(600)": ("timeout", "1 s"),
    "bytearray(10**10)": ("out_of_memory", "more memory"),
}
REFUSED = (
    "open(given + '/x.txt', 'a')",
    "open(given + '/new', 'w')",
    "open(os.path.join(os.getcwd(), 'new'), 'w')",
    "open('/etc/passwd')",
    "open('/proc/self/environ')",
    "open(SECRET)",
    "os.listdir(os.path.dirname(SECRET))",
    "os.fork()",
    "import subprocess; subprocess.run(['true'])",
    "os.execv('/bin/true', ['true'])",
    "import socket; socket.socket()",
    "os.kill(os.getppid(), 9)",
    "os.kill(-1, 9)",
    "os.write(4, b'{}')",
    "os.mkfifo(out + '/pipe')",
    "[write(str(number), 'x' * 10**6) for number in range(20)]",
    "[write(str(number), '') for number in range(100)]",
    "os.chdir('/tmp'); [open(str(number), 'wb').write(b'x' * 10**6) for number in range(20)]",
)


@pytest.fixture(scope="module")
def places() -> Iterator[Path]:
    server = borrow(SandboxSettings().preload)  # so that it does not start again for each program
    with tempfile.TemporaryDirectory(prefix="podium-commands-") as folder:
        base = Path(folder)
        base.chmod(0o711)
        for name in ("program", "input"):
            (base / name).mkdir(mode=0o755)
        (base / "program/beside.py").write_text("NAME = 'beside'")
        (base / "input/x.txt").write_text("hello")
        (base / "secret.txt").write_text("truth")
        yield base
    give_back(server)


def run(places: Path, text: str, results: Path, isolation: str = "prefer") -> CommandResult:
    head = f"{HEAD}\nSECRET = {str(places / 'secret.txt')!r}\n"
    (places / "program/main.py").write_text(head + text)
    read = {f"/app/{name}": str(places / name) for name in ("program", "input")}
    arguments = ("/app/program/main.py", "/app/input", "/app/output")
    command = Command(arguments, "/app/program", read)
    settings = SandboxSettings(isolation=isolation)  # type: ignore[arg-type]
    seconds = 1 if ("while" in text or "sleep" in text) else 60
    with Sandbox(settings) as sandbox:
        return sandbox.run_command(command, results, seconds=seconds, limits=LIMITS)


@pytest.mark.parametrize("isolation", ["prefer", "off"])
def test_programs_read_and_write_files(places: Path, tmp_path: Path, isolation: str) -> None:
    for number, text in enumerate(GOOD.values()):
        results = tmp_path / str(number)
        results.mkdir()
        result = run(places, text, results, isolation)
        assert result.failure is None, result
        files = [path for path in results.rglob("*") if path.is_file()]
        assert sorted(result.files) == [str(path.relative_to(results)) for path in sorted(files)]
        assert len(files) == 1
        assert len(result.output.encode()) < 80 * 1024
        assert result.peak_bytes > 1 << 20
    assert (tmp_path / "0/a.txt").read_text() == "hello"
    assert len((tmp_path / "1/b/c/d").read_text()) == 300_000


def test_failures_have_a_code_and_a_sentence(places: Path, tmp_path: Path) -> None:
    for text, (code, words) in BAD.items():
        failure = run(places, text, tmp_path).failure
        assert failure is not None, text
        assert failure.code == code, text
        assert words in failure.message, text


@linux
def test_programs_reach_only_their_own_files_and_stay_within_limits(
    places: Path, tmp_path: Path
) -> None:
    for number, text in enumerate(REFUSED):
        results = tmp_path / str(number)
        results.mkdir()
        result = run(places, text, results)
        assert result.failure is not None, text
        assert "Error" in result.failure.message, result
        written = [path for path in results.rglob("*") if path.is_file()]
        assert sum(path.stat().st_size for path in written) <= LIMITS.file_bytes
        assert len(written) <= LIMITS.files


@linux
def test_fixed_paths_need_a_private_root(places: Path, tmp_path: Path) -> None:
    (places / "program/fixed.py").write_text("print(open('/app/input/x.txt').read())")
    read = {f"/app/{name}": str(places / name) for name in ("program", "input")}
    command = Command(("fixed.py",), "/app/program", read, has_fixed_paths=True)
    with Sandbox(SandboxSettings(isolation="off")) as sandbox:
        failure = sandbox.run_command(command, tmp_path, seconds=60).failure
    assert failure is not None
    assert failure.code == "not_installed"
    with Sandbox() as sandbox:
        result = sandbox.run_command(command, tmp_path, seconds=60)
    assert result.output == "hello\n" or "private root" in str(result.failure)
