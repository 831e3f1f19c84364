"""Create virtual environments with uv, without running any installed code."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, cast

from leaderboard.rules.noop import noop
from leaderboard.rules.texts.messages import message

PREPARE_SECONDS = 120
MAX_MESSAGES = 16 * 1024

ReportLine = Callable[[str], object]
"""A function that gets each line of uv's messages as it is written, without its end."""

_OPERATORS = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "UV_SYSTEM_CERTS", "UV_HTTP_TIMEOUT"),
    *("UV_DEFAULT_INDEX", "UV_INDEX", "UV_FIND_LINKS", "UV_OFFLINE"),
)
"""The environment variables with which the operator configures package sources and proxies. uv gets
no other variable of this process."""

_OURS = "Using Python"
"""The beginning of a message of uv that is left out, because it has a path on this server."""


class UvMissing(Exception):
    """uv is not installed here; the text has the command that installs it."""

    message = message(
        "uv, which prepares metric scripts, is not installed on this server: "
        "python -m pip install uv"
    )

    def __str__(self) -> str:
        return self.message


class UvFailed(Exception):
    """uv failed. `messages` has all its messages; `message`, the text, has the first error."""

    def __init__(self, why: str, messages: str) -> None:
        super().__init__(why)
        self.message, self.messages = why, messages


def find_uv() -> str:
    """The path of the uv that was installed with Podium. Raises UvMissing."""
    path = Path(sys.executable).with_name("uv")
    if not os.access(path, os.X_OK):
        raise UvMissing
    return str(path)


def environment_with(
    dependencies: Sequence[str],
    *,
    at: Path,
    cache: Path,
    tell: ReportLine = noop,
    pins: Sequence[str] = (),
) -> str:
    """Create a virtual environment with packages, for this process's Python.

    Returns uv's messages. dependencies: requirements by name. cache: the folder for downloads.
    tell: called with each message about packages as it is written. pins: a lock, which is installed
    instead of what the dependencies lead to now. Installs only wheels and runs no file of them.
    Raises UvFailed and UvMissing.
    """
    python = os.path.realpath(sys.executable)
    environment = _environment(cache)
    uv = [find_uv(), "--no-config", "--no-progress"]
    _run([*uv, "venv", "--no-project", "--relocatable", "--python", python, str(at)], environment)
    if not dependencies:
        return ""
    install = ["pip", "install", "--no-build", "--no-sources", "--link-mode", "copy", *_no_index()]
    wanted = ["--", *dependencies]
    if pins:
        lock = at.with_name("packages.lock")
        lock.write_text("\n".join(pins), encoding="utf-8")
        wanted = ["--no-deps", "--requirement", str(lock)]
    messages = _run([*uv, *install, "--python", str(at), *wanted], environment, tell)
    # Compile with this Python: the environment's own would run startup files of wheels (`.pth`).
    # Errors are ignored: a file that does not compile matters only to a script that imports it. No
    # script needs the tests of packages.
    with suppress(UvFailed):
        _run(
            [python, "-I", "-S", "-m", "compileall", "-q", "-x", "/tests/", str(at / "lib")],
            environment,
        )
    return messages.strip("\n")


def pins_of(environment: Path, *, cache: Path) -> list[str]:
    """The lock of a virtual environment: its packages with their versions and their hashes.

    Raises UvFailed and UvMissing.
    """
    folders = map(str, environment.glob("lib/python*/site-packages"))
    installed = distributions(path=[*folders])
    versions = sorted(f"{package.name}=={package.version}" for package in installed)
    if not versions:
        return []
    uv = [
        find_uv(),
        "--no-config",
        "--no-progress",
        "pip",
        "compile",
        "--quiet",
        "--generate-hashes",
    ]
    options = ["--no-deps", "--no-header", "--no-annotate", "--no-build", *_no_index()]
    with TemporaryDirectory() as folder:
        named, lock = Path(folder, "packages.in"), Path(folder, "packages.lock")
        named.write_text("\n".join(versions), encoding="utf-8")
        python = ["--python", str(environment)]
        files = ["--output-file", str(lock), "--", str(named)]
        _run([*uv, *options, *python, *files], _environment(cache))
        lines = lock.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    pins = [" ".join(line.split()) for line in lines]
    return [pin for pin in pins if pin and not pin.startswith("-")]


def _no_index() -> list[str]:
    """The option for UV_NO_INDEX, because uv ignores this variable."""
    no = ("", "0", "false", "no", "off")
    return [] if os.environ.get("UV_NO_INDEX", "").strip().lower() in no else ["--no-index"]


def _environment(cache: Path) -> dict[str, str]:
    """The environment variables of uv, with only those in `_OPERATORS` from this process."""
    cache.mkdir(exist_ok=True)
    # docker-compose.yml gives an empty text for a variable that is not set.
    operators = {name: os.environ[name] for name in _OPERATORS if os.environ.get(name)}
    return operators | {
        "PATH": "/usr/bin:/bin",
        "HOME": str(cache),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "UV_CACHE_DIR": str(cache),
        "UV_PYTHON_DOWNLOADS": "never",
    }


def _run(command: list[str], environment: dict[str, str], tell: ReportLine = noop) -> str:
    """Run a command; returns its standard error, when every process has closed it.

    After a timeout, kills the command and every process that it started. Raises UvFailed.
    """
    deadline = time.monotonic() + PREPARE_SECONDS
    messages = ""
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        umask=0o022,
    ) as process:
        try:
            for line in _lines(cast("IO[bytes]", process.stderr), deadline):
                messages = f"{messages}{line}\n"[-MAX_MESSAGES:]
                tell(line)
            process.wait(max(0.0, deadline - time.monotonic()))
        except (TimeoutError, subprocess.TimeoutExpired):
            text = message(
                "Preparing the script took longer than {seconds} s.", seconds=PREPARE_SECONDS
            )
            raise UvFailed(text, messages.strip()) from None
        finally:
            _end_group(process)
    if process.returncode != 0:
        raise UvFailed(_gist(messages), messages.strip())
    return messages


def _lines(pipe: IO[bytes], deadline: float) -> Iterator[str]:
    """Yield the lines from a pipe until it is closed. Raises TimeoutError."""
    begun = b""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0 and selector.select(left):
            piece = os.read(pipe.fileno(), MAX_MESSAGES)
            *lines, begun = (begun + piece).split(b"\n") if piece else (begun, b"")
            for line in filter(None, lines):
                text = line.decode("utf-8", "replace").rstrip()
                if not text.startswith(_OURS):
                    yield text
            if not piece:
                return
            begun = begun[-MAX_MESSAGES:]
    raise TimeoutError


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the command, and what it started and left running, unless `wait` has collected it.

    Until then the group keeps its number, even if the command itself has ended.
    """
    if process.returncode is None:
        os.killpg(process.pid, signal.SIGKILL)


def _gist(messages: str) -> str:
    """The first error in uv's messages, with its causes."""
    lines = [line.strip() for line in messages.splitlines() if line.strip()]
    start = next((at for at, line in enumerate(lines) if line.startswith("error:")), 0)
    return " ".join(lines[start : start + 3])[:1000] or message("uv failed and said nothing.")
