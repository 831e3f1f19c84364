"""Environments made by uv, in which nothing that is installed is run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

PREPARE_SECONDS = 120
MAX_SAID = 16 * 1024

_OPERATORS = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "UV_SYSTEM_CERTS", "UV_HTTP_TIMEOUT"),
    *("UV_DEFAULT_INDEX", "UV_INDEX", "UV_FIND_LINKS", "UV_OFFLINE"),
)
"""What the operator may say about the way to packages; nothing else of the environment is seen."""


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


def environment_with(dependencies: Sequence[str], *, at: Path, cache: Path) -> str:
    """Make an environment of this very Python with packages in it; what uv said.

    dependencies: requirements by name. cache: where downloads are kept. Only wheels are taken and
    no file of theirs is run. Raises UvFailed and UvMissing.
    """
    python = os.path.realpath(sys.executable)
    environment = _environment(cache)
    uv = [find_uv(), "--no-config", "--no-progress"]
    _run([*uv, "venv", "--no-project", "--relocatable", "--python", python, str(at)], environment)
    if not dependencies:
        return ""
    install = ["pip", "install", "--no-build", "--no-sources", "--link-mode", "copy", *_no_index()]
    said = _run([*uv, *install, "--python", str(at), "--", *dependencies], environment)
    # By another Python than the environment's own, which would run what wheels leave for its start.
    # A file that does not compile matters only to a script that imports it; tests to none.
    with suppress(UvFailed):
        _run(
            [python, "-I", "-S", "-m", "compileall", "-q", "-x", "/tests/", str(at / "lib")],
            environment,
        )
    return "\n".join(line for line in said.splitlines() if not line.startswith("Using Python"))


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


def _run(command: list[str], environment: dict[str, str]) -> str:
    """Run to the end, with everything it starts; what it said on standard error."""
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
            _, errors = process.communicate(timeout=PREPARE_SECONDS)
        except subprocess.TimeoutExpired:
            text = f"Preparing the script took longer than {PREPARE_SECONDS} s."
            raise UvFailed(text, "") from None
        finally:
            _end_group(process)
    said = errors.decode("utf-8", "replace")[-MAX_SAID:]
    if process.returncode != 0:
        raise UvFailed(_gist(said), said.strip())
    return said


def _end_group(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def _gist(said: str) -> str:
    """uv's first complaint with its causes."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    start = next((at for at, line in enumerate(lines) if line.startswith("error:")), 0)
    return " ".join(lines[start : start + 3])[:1000] or "uv failed and said nothing."
