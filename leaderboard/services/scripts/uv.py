"""Environments made by uv, in which nothing that is installed is run."""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, cast

PREPARE_SECONDS = 120
MAX_SAID = 16 * 1024
MAX_NAMED = 12

Tell = Callable[[str], object]
"""Gets each line while it is said, without its end."""

_OPERATORS = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "UV_SYSTEM_CERTS", "UV_HTTP_TIMEOUT"),
    *("UV_DEFAULT_INDEX", "UV_INDEX", "UV_FIND_LINKS", "UV_OFFLINE"),
)
"""What the operator may say about the way to packages; nothing else of the environment is seen."""

_OURS = "Using Python"
"""Begins what uv says of the environment that it was told to use: a path on this server."""


class UvMissing(Exception):
    """uv is not installed here; the text has the line that installs it."""


class UvFailed(Exception):
    """uv could not do it. `said` is all it said; the text of the exception is the gist of it."""

    def __init__(self, message: str, said: str) -> None:
        super().__init__(message)
        self.said = said


def find_uv() -> str:
    """The uv that was installed with Podium. Raises UvMissing."""
    path = Path(sys.executable).with_name("uv")
    if not os.access(path, os.X_OK):
        raise UvMissing(
            "uv, which prepares metric scripts, is not installed on this server: "
            "python -m pip install uv"
        )
    return str(path)


def noop(line: str) -> None:
    """Nobody who is told."""


def environment_with(
    dependencies: Sequence[str], *, at: Path, cache: Path, tell: Tell = noop
) -> str:
    """Make an environment of this very Python with packages in it; what uv said.

    dependencies: requirements by name. cache: where downloads are kept. tell: hears what uv says
    of the packages while it says it. Only wheels are taken and no file of theirs is run. Raises
    UvFailed and UvMissing.
    """
    python = os.path.realpath(sys.executable)
    environment = _environment(cache)
    uv = [find_uv(), "--no-config", "--no-progress"]
    _run([*uv, "venv", "--no-project", "--relocatable", "--python", python, str(at)], environment)
    if not dependencies:
        return ""
    install = ["pip", "install", "--no-build", "--no-sources", "--link-mode", "copy", *_no_index()]
    said = _run([*uv, *install, "--python", str(at), "--", *dependencies], environment, tell)
    # By another Python than the environment's own, which would run what wheels leave for its start.
    # A file that does not compile matters only to a script that imports it; tests to none.
    with suppress(UvFailed):
        _run(
            [python, "-I", "-S", "-m", "compileall", "-q", "-x", "/tests/", str(at / "lib")],
            environment,
        )
    return said.strip("\n")


def summary(said: str) -> str:
    """What uv said of an installation in one line: `Resolved 1 package, installed numpy==2.3.4`."""
    resolved = re.search(r"^Resolved \d+ packages?", said, re.MULTILINE)
    packages = re.findall(r"^ \+ (\S+)", said, re.MULTILINE)
    if not resolved or not packages:
        return said.strip().partition("\n")[0] or "It needs no packages"
    named = ", ".join(packages[:MAX_NAMED])
    more = len(packages) - MAX_NAMED
    return f"{resolved[0]}, installed {named}" + (f" and {more} more" if more > 0 else "")


def _no_index() -> list[str]:
    """uv has an option for this and no variable, so that it would ask the index all the same."""
    no = ("", "0", "false", "no", "off")
    return [] if os.environ.get("UV_NO_INDEX", "").strip().lower() in no else ["--no-index"]


def _environment(cache: Path) -> dict[str, str]:
    """Of our own environment no more than the way to packages."""
    cache.mkdir(exist_ok=True)
    operators = {name: os.environ[name] for name in _OPERATORS if name in os.environ}
    return operators | {
        "PATH": "/usr/bin:/bin",
        "HOME": str(cache),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "UV_CACHE_DIR": str(cache),
        "UV_PYTHON_DOWNLOADS": "never",
    }


def _run(command: list[str], environment: dict[str, str], tell: Tell = noop) -> str:
    """Run to the end, with everything it starts; what it said on standard error."""
    deadline = time.monotonic() + PREPARE_SECONDS
    said = ""
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
                said = f"{said}{line}\n"[-MAX_SAID:]
                tell(line)
            process.wait(max(0.0, deadline - time.monotonic()))
        except (TimeoutError, subprocess.TimeoutExpired):
            text = f"Preparing the script took longer than {PREPARE_SECONDS} s."
            raise UvFailed(text, said.strip()) from None
        finally:
            _end_group(process)
    if process.returncode != 0:
        raise UvFailed(_gist(said), said.strip())
    return said


def _lines(pipe: IO[bytes], deadline: float) -> Iterator[str]:
    """What comes through a pipe until it is closed, line by line. Raises TimeoutError."""
    begun = b""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0 and selector.select(left):
            piece = os.read(pipe.fileno(), MAX_SAID)
            *lines, begun = (begun + piece).split(b"\n") if piece else (begun, b"")
            for line in filter(None, lines):
                text = line.decode("utf-8", "replace").rstrip()
                if not text.startswith(_OURS):
                    yield text
            if not piece:
                return
            begun = begun[-MAX_SAID:]
    raise TimeoutError


def _end_group(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def _gist(said: str) -> str:
    """uv's first complaint with its causes."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    start = next((at for at, line in enumerate(lines) if line.startswith("error:")), 0)
    return " ".join(lines[start : start + 3])[:1000] or "uv failed and said nothing."
