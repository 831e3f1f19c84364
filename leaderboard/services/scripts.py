"""Metric scripts: a PEP 723 text, prepared once with uv, run in the sandbox ever after.

Preparing installs what the script depends on, so it needs the network and happens outside of the
sandbox. Nothing of the script's runs then: only wheels are taken, none is built, the script cannot
say where from, and what is installed is compiled without being imported. Running needs neither uv
nor a network.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.cache import cache

from leaderboard.rules.metric_specs import MetricSpec
from leaderboard.rules.reductions import MetricFailed, Script
from leaderboard.rules.rewards import Lines
from leaderboard.sandbox import Failure, SandboxError
from leaderboard.services import sandboxes
from leaderboard.services.script_headers import Header, HeaderError, read_header
from leaderboard.services.uv import UvFailed, UvMissing, environment_with, find_uv

RUN_TIMEOUT_MS = 60_000
FAILURE_KEPT_SECONDS = 60
ABANDONED_SECONDS = 3600

_PREPARING = ".preparing-"
_PYTHON = f"{os.path.realpath(sys.executable)} {sys.version}"
_OFF = (
    "Metric scripts are turned off on this server. "
    "Its operator turns them on with METRIC_SCRIPTS=on."
)
_AWAY = "Metric scripts cannot be run on this server at the moment."

log = logging.getLogger(__name__)


class ScriptRefused(MetricFailed):
    """A script that cannot be prepared here. `detail` is for the organiser: what uv said."""

    def __init__(self, code: str, message: str, detail: str = "") -> None:
        super().__init__(code, message)
        self.detail = detail


class ScriptFailed(MetricFailed):
    """A run without an answer. `detail` is for the organiser: what the script said to the end."""

    def __init__(self, code: str, message: str, detail: str = "") -> None:
        super().__init__(code, message)
        self.detail = detail


class Prepared(NamedTuple):
    """A script that can be run. `said` is what uv said when it was prepared."""

    folder: Path
    said: str


def why_unavailable() -> str:
    """Why no script can be prepared on this server, "" if one can."""
    if not settings.METRIC_SCRIPTS:
        return _OFF
    try:
        find_uv()
    except UvMissing as error:
        return str(error)
    return ""


def prepare_script(text: str) -> Prepared:
    """The prepared environment of a script, made if it is not there; takes seconds then.

    Raises ScriptRefused: `not_installed` where scripts are off, uv is missing, or the script wants
    another Python or packages that cannot be had; `load_error` for a header that is not accepted.
    """
    _require_turned_on()
    text = text.replace("\r\n", "\n")
    # Hosts that share the folder may have different Pythons, and a Python may be upgraded.
    name = hashlib.sha256(f"{_PYTHON}\n{text}".encode()).hexdigest()
    folder = sandboxes.scripts_folder() / name
    if folder.exists():
        return Prepared(folder, (folder / "said").read_text(encoding="utf-8"))
    try:
        header = read_header(text)
    except HeaderError as error:
        raise ScriptRefused(error.code, str(error)) from None
    return _prepared(text, header, folder)


def run_script(
    prepared: Prepared, lines: Lines, timeout_ms: int = RUN_TIMEOUT_MS
) -> dict[str, float | None]:
    """What a script makes of rewards, by key; None is undefined. Raises ScriptFailed."""
    rows = "".join(json.dumps(row) + "\n" for row in lines.rows)
    try:
        found = sandboxes.run_script(prepared.folder, rows.encode(), timeout_ms=timeout_ms)
    except SandboxError as error:
        raise ScriptFailed("load_error", _AWAY, str(error)) from None
    if isinstance(found, Failure):
        raise ScriptFailed(found.code, found.message, found.detail)
    return found


def script_of(spec: MetricSpec) -> Script:
    """The script of a spec, ready to be run; prepared here and now if it is not yet.

    Raises ScriptRefused; a script that could not be prepared is tried again after a minute.
    """
    prepared = _prepared_lately(spec.kwargs["script"])

    def script(lines: Lines) -> dict[str, float | None]:
        try:
            return run_script(prepared, lines)
        except ScriptFailed as error:
            log.warning("The script %s failed: %s %s", spec.name, error, error.detail)
            raise

    return script


def _require_turned_on() -> None:
    if not settings.METRIC_SCRIPTS:
        raise ScriptRefused("not_installed", _OFF)


def _prepared_lately(text: str) -> Prepared:
    _require_turned_on()
    key = f"script-refused:{hashlib.sha256(text.encode()).hexdigest()}"
    refused: tuple[str, str] | None = cache.get(key)
    if refused is not None:
        raise ScriptRefused(*refused)
    try:
        return prepare_script(text)
    except ScriptRefused as error:
        log.warning("A script cannot be prepared: %s %s", error, error.detail)
        cache.set(key, (error.code, str(error)), FAILURE_KEPT_SECONDS)
        raise


def _prepared(text: str, header: Header, folder: Path) -> Prepared:
    """Prepare beside the place and move there at once, so that others see all of it or nothing."""
    _clear_away(folder.parent)
    aside = Path(tempfile.mkdtemp(prefix=_PREPARING, dir=folder.parent))
    try:
        said = _fill(aside, text, header)
        _move(aside, folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return Prepared(folder, said)


def _fill(aside: Path, text: str, header: Header) -> str:
    try:
        said = environment_with(
            header.dependencies, at=aside / "env", cache=Path(settings.DATA_DIR, "scripts-cache")
        )
    except UvMissing as error:
        raise ScriptRefused("not_installed", str(error)) from None
    except UvFailed as error:
        raise ScriptRefused("not_installed", str(error), error.said) from None
    for name, content in (("script.py", text), ("said", said)):
        (aside / name).write_text(content, encoding="utf-8")
        (aside / name).chmod(0o644)
    aside.chmod(0o755)
    return said


def _move(aside: Path, folder: Path) -> None:
    try:
        aside.rename(folder)
    except OSError:
        if not folder.exists():  # else somebody else was faster, with the same
            raise


def _clear_away(folder: Path) -> None:
    """Remove what processes that were killed while they prepared a script have left."""
    for left in folder.glob(f"{_PREPARING}*"):
        with suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > ABANDONED_SECONDS:
                shutil.rmtree(left, ignore_errors=True)
