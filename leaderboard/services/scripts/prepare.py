"""Preparing metric scripts: a PEP 723 text, installed once with uv.

Preparing installs what a script depends on, so it needs the network and happens outside of the
sandbox. Nothing of the script's runs then: only wheels are taken, none is built, the script cannot
say where from, and what is installed is compiled without being imported.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from leaderboard.rules.reductions import MetricFailed
from leaderboard.services.plugins import sandboxes
from leaderboard.services.scripts.headers import HeaderError, ScriptHeader, read_header
from leaderboard.services.scripts.preparations import (
    Preparation,
    PreparationProgress,
    Refusal,
    look_at,
    put_away,
    take,
    wait_for,
)
from leaderboard.services.scripts.uv import Tell, UvFailed, UvMissing, environment_with, find_uv

ABANDONED_SECONDS = 3600
AT_ONCE = 2
"""How many scripts a process prepares in the background at a time."""

_PREPARING = ".preparing-"
_STATE = ".state-"
_PYTHON = f"{os.path.realpath(sys.executable)} {sys.version}"
_OFF = (
    "Metric scripts are turned off on this server. "
    "Its operator turns them on with METRIC_SCRIPTS=on."
)
_BROKEN = "The script cannot be prepared on this server at the moment. The server's log says why."

_turns = threading.BoundedSemaphore(AT_ONCE)

log = logging.getLogger(__name__)


class ScriptRefused(MetricFailed):
    """A script that cannot be prepared here. `detail` is for the organiser: what uv said."""

    def __init__(self, code: str, message: str, detail: str = "") -> None:
        super().__init__(code, message)
        self.detail = detail


class Prepared(NamedTuple):
    """A script that can be run. `said` is what uv said when it was prepared."""

    folder: Path
    said: str


class Wanted(NamedTuple):
    """A script that can be prepared as far as its text goes, and where it belongs."""

    text: str
    header: ScriptHeader
    folder: Path


def why_unavailable() -> str:
    """Why no script can be prepared on this server, "" if one can."""
    if not settings.METRIC_SCRIPTS:
        return _OFF
    try:
        find_uv()
    except UvMissing as error:
        return str(error)
    return ""


def require_turned_on() -> None:
    """Raises ScriptRefused, `not_installed`, where scripts are off."""
    if not settings.METRIC_SCRIPTS:
        raise ScriptRefused("not_installed", _OFF)


def key_of(text: str) -> str:
    """The name of a script on this server: its folder's."""
    # Hosts that share the folder may have different Pythons, and a Python may be upgraded.
    return hashlib.sha256(f"{_PYTHON}\n{_plain(text)}".encode()).hexdigest()


def found_prepared(text: str) -> Prepared | None:
    """A script that is prepared already, None if it is not."""
    return _found(sandboxes.scripts_folder() / key_of(text))


def prepare_script(text: str) -> Prepared:
    """The prepared environment of a script, made if it is not there; takes seconds then.

    Whoever else prepares the same script is waited for, and what it found is found here as well.
    Raises ScriptRefused: `not_installed` where scripts are off, uv is missing, or the script wants
    another Python or packages that cannot be had; `load_error` for a header that is not accepted.
    """
    require_turned_on()
    asked = time.time()
    if prepared := found_prepared(text):
        return prepared
    wanted = _wanted(text)
    with wait_for(_state_of(wanted.folder)) as preparation:
        if prepared := _found(wanted.folder):
            preparation.forget()
            return prepared
        if refusal := preparation.refused_since(asked):
            raise ScriptRefused(*refusal)
        preparation.start()
        return _prepared(wanted, preparation)


def check_script(text: str) -> None:
    """Raises ScriptRefused for what can be said of a script before anything is installed."""
    require_turned_on()
    if found_prepared(text):
        return
    _wanted(text)
    try:
        find_uv()
    except UvMissing as error:
        raise ScriptRefused("not_installed", str(error)) from None


def begin_preparing(text: str) -> None:
    """Prepare a script in the background, unless it is prepared or somebody prepares it.

    A thread of this process does it; `progress_of` says in any process how far it is. Raises
    ScriptRefused like `check_script`.
    """
    check_script(text)
    if found_prepared(text):
        return
    wanted = _wanted(text)
    preparation = take(_state_of(wanted.folder))
    if preparation is None:
        return
    preparation.start()
    threading.Thread(target=_prepare_in_background, args=(wanted, preparation), daemon=True).start()


def progress_of(key: str) -> PreparationProgress:
    """How far a script is, by its `key_of`; `abandoned` if nobody prepares it."""
    if not re.fullmatch(r"[0-9a-f]{64}", key):
        return PreparationProgress("abandoned")
    folder = sandboxes.scripts_folder() / key
    progress = look_at(_state_of(folder))
    if progress.state != "running" and (prepared := _found(folder)):
        return PreparationProgress("ready", said=prepared.said)
    return progress


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _wanted(text: str) -> Wanted:
    try:
        header = read_header(_plain(text))
    except HeaderError as error:
        raise ScriptRefused(error.code, str(error)) from None
    return Wanted(_plain(text), header, sandboxes.scripts_folder() / key_of(text))


def _found(folder: Path) -> Prepared | None:
    try:
        return Prepared(folder, (folder / "said").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


def _state_of(folder: Path) -> Path:
    return folder.with_name(_STATE + folder.name)


def _prepare_in_background(wanted: Wanted, preparation: Preparation) -> None:
    with preparation, _turns:
        try:
            _prepared(wanted, preparation)
        except ScriptRefused as error:
            log.info("A script cannot be prepared: %s %s", error, error.detail)
        except Exception:
            log.exception("a script could not be prepared")
            preparation.refuse(Refusal("load_error", _BROKEN, ""))


def _prepared(wanted: Wanted, preparation: Preparation) -> Prepared:
    """Prepare beside the place and move there at once, so that others see all of it or nothing."""
    _clear_away(wanted.folder.parent)
    aside = Path(tempfile.mkdtemp(prefix=_PREPARING, dir=wanted.folder.parent))
    try:
        said = _fill(aside, wanted, preparation.tell)
        _move(aside, wanted.folder)
    except ScriptRefused as error:
        preparation.refuse(Refusal(error.code, str(error), error.detail))
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    preparation.forget()
    return Prepared(wanted.folder, said)


def _fill(aside: Path, wanted: Wanted, tell: Tell) -> str:
    downloads = Path(settings.DATA_DIR, "scripts-cache")
    try:
        said = environment_with(
            wanted.header.dependencies, at=aside / "env", cache=downloads, tell=tell
        )
    except UvMissing as error:
        raise ScriptRefused("not_installed", str(error)) from None
    except UvFailed as error:
        raise ScriptRefused("not_installed", str(error), error.said) from None
    for name, content in (("script.py", wanted.text), ("said", said)):
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
    before = time.time() - ABANDONED_SECONDS
    for left in folder.glob(f"{_PREPARING}*"):
        with suppress(FileNotFoundError):
            if left.stat().st_mtime < before:
                shutil.rmtree(left, ignore_errors=True)
    for state in folder.glob(f"{_STATE}*"):
        put_away(state, older_than=before)
