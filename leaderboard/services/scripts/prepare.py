"""Prepare metric scripts: install the dependencies of a PEP 723 text once, with uv.

This needs the network, so it happens outside of the sandbox. It runs no code of the script or its
dependencies: uv installs only wheels and builds none, the script cannot choose their source, and
installed files are compiled without being imported.
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

from leaderboard.rules.rewards.reductions import MetricFailed
from leaderboard.rules.texts.messages import message
from leaderboard.sandbox.scripts.headers import HeaderError, ScriptHeader, lock_block, read_header
from leaderboard.sandbox.scripts.preparing import NotPrepared, fill
from leaderboard.sandbox.scripts.uv import ReportLine, UvFailed, UvMissing, find_uv, pins_of
from leaderboard.services.plugins import sandboxes
from leaderboard.services.scripts.preparations import (
    Preparation,
    PreparationProgress,
    Refusal,
    look_at,
    put_away,
    take,
    wait_for,
)

ABANDONED_SECONDS = 3600
AT_ONCE = 2
"""How many scripts a process prepares in the background at a time."""

_PREPARING = ".preparing-"
_STATE = ".state-"
_PYTHON = f"{os.path.realpath(sys.executable)} {sys.version}"
_OFF = message(
    "Metric scripts are turned off on this server. "
    "Its operator turns them on with METRIC_SCRIPTS=on."
)
_BROKEN = message(
    "The script cannot be prepared on this server at the moment. The server's log says why."
)

_slots = threading.BoundedSemaphore(AT_ONCE)

log = logging.getLogger(__name__)


class ScriptRefused(MetricFailed):
    """A script that cannot be prepared here. `detail` has uv's messages, for the organiser."""

    def __init__(self, code: str, message: str, detail: str = "") -> None:
        super().__init__(code, message)
        self.detail = detail


class Prepared(NamedTuple):
    """A script that can be run. `messages` has uv's messages from its preparation."""

    folder: Path
    messages: str


class Wanted(NamedTuple):
    """A script whose header is accepted, and the folder for it."""

    text: str
    header: ScriptHeader
    folder: Path


def why_unavailable() -> str:
    """Why no script can be prepared on this server; "" if scripts can."""
    if not settings.METRIC_SCRIPTS:
        return _OFF
    try:
        find_uv()
    except UvMissing as error:
        return error.message
    return ""


def require_turned_on() -> None:
    """Raise ScriptRefused (`not_installed`) if scripts are turned off."""
    if not settings.METRIC_SCRIPTS:
        raise ScriptRefused("not_installed", _OFF)


def key_of(text: str) -> str:
    """The name of a script's folder on this server."""
    # Hosts that share the folder may have different Pythons, and a Python may be upgraded.
    return hashlib.sha256(f"{_PYTHON}\n{_plain(text)}".encode()).hexdigest()


def find_prepared(text: str) -> Prepared | None:
    """The prepared script; None if it is not prepared."""
    return _read_prepared(sandboxes.scripts_folder() / key_of(text))


def prepare_script(text: str) -> Prepared:
    """Prepare a script, which takes seconds unless it is prepared already.

    If another process prepares the same script, this waits for it and uses its result. Raises
    ScriptRefused: `not_installed` if scripts are off, uv is missing, or the script needs another
    Python or packages that cannot be installed; `load_error` for a header that is not accepted.
    """
    require_turned_on()
    asked = time.time()
    if prepared := find_prepared(text):
        return prepared
    wanted = _wanted(text)
    with wait_for(_state_of(wanted.folder)) as preparation:
        if prepared := _read_prepared(wanted.folder):
            preparation.forget()
            return prepared
        if refusal := preparation.refused_since(asked):
            raise ScriptRefused(*refusal)
        preparation.start()
        return _prepared(wanted, preparation)


def locked_script(text: str) -> str:
    """A script with a lock of what is prepared for it, which is then prepared for it too.

    A text with a lock stays as it is. Takes seconds. Raises ScriptRefused like `prepare_script`.
    """
    prepared = prepare_script(text)
    if _wanted(text).header.pins:
        return text
    locked = _plain(text) + lock_block(_pins(prepared.folder))
    folder = _wanted(locked).folder
    aside = Path(tempfile.mkdtemp(prefix=_PREPARING, dir=folder.parent))
    try:  # The files are the same, so links to them need neither time nor room.
        copy = aside / "copy"
        shutil.copytree(prepared.folder, copy, symlinks=True, copy_function=os.link)
        _move(copy, folder)
    except OSError:
        prepare_script(locked)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return locked


def check_script(text: str) -> None:
    """Check a script as far as possible without installing anything. Raises ScriptRefused."""
    require_turned_on()
    if find_prepared(text):
        return
    _wanted(text)
    try:
        find_uv()
    except UvMissing as error:
        raise ScriptRefused("not_installed", error.message) from None


def begin_preparing(text: str) -> None:
    """Prepare a script in a thread, unless it is prepared or another process prepares it.

    `progress_of` gives the progress in any process. Raises ScriptRefused like `check_script`.
    """
    check_script(text)
    if find_prepared(text):
        return
    wanted = _wanted(text)
    preparation = take(_state_of(wanted.folder))
    if preparation is None:
        return
    preparation.start()
    threading.Thread(target=_prepare_in_background, args=(wanted, preparation), daemon=True).start()


def progress_of(key: str) -> PreparationProgress:
    """The progress of a script with this `key_of`; `abandoned` if no process prepares it."""
    if not re.fullmatch(r"[0-9a-f]{64}", key):
        return PreparationProgress("abandoned")
    folder = sandboxes.scripts_folder() / key
    progress = look_at(_state_of(folder))
    if progress.state != "running" and (prepared := _read_prepared(folder)):
        return PreparationProgress("ready", messages=prepared.messages)
    return progress


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _wanted(text: str) -> Wanted:
    try:
        header = read_header(_plain(text))
    except HeaderError as error:
        raise ScriptRefused(error.code, error.message) from None
    return Wanted(_plain(text), header, sandboxes.scripts_folder() / key_of(text))


def _read_prepared(folder: Path) -> Prepared | None:
    try:
        return Prepared(folder, (folder / "said").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


def _state_of(folder: Path) -> Path:
    return folder.with_name(_STATE + folder.name)


def _prepare_in_background(wanted: Wanted, preparation: Preparation) -> None:
    with preparation, _slots:
        try:
            _prepared(wanted, preparation)
        except ScriptRefused as error:
            log.info("A script cannot be prepared: %s %s", error, error.detail)
        except Exception:  # no caller of this thread would log the error
            log.exception("a script could not be prepared")
            preparation.refuse(Refusal("load_error", _BROKEN, ""))


def _prepared(wanted: Wanted, preparation: Preparation) -> Prepared:
    """Prepare in a temporary folder and rename it, so that others never see an incomplete one."""
    _clear_away(wanted.folder.parent)
    aside = Path(tempfile.mkdtemp(prefix=_PREPARING, dir=wanted.folder.parent))
    try:
        messages = _fill(aside, wanted, preparation.tell)
        _move(aside, wanted.folder)
    except ScriptRefused as error:
        preparation.refuse(Refusal(error.code, error.message, error.detail))
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    preparation.forget()
    return Prepared(wanted.folder, messages)


def _pins(folder: Path) -> list[str]:
    """The lock of a prepared folder, which is made once. Raises ScriptRefused."""
    kept = folder / "pins"
    with suppress(FileNotFoundError):
        return kept.read_text(encoding="utf-8").splitlines()
    try:
        pins = pins_of(folder / "env", cache=_downloads())
    except (UvFailed, UvMissing) as error:
        raise ScriptRefused("not_installed", error.message) from None
    aside = folder / f".pins-{os.getpid()}-{threading.get_ident()}"
    aside.write_text("\n".join(pins), encoding="utf-8")
    aside.rename(kept)
    return pins


def _downloads() -> Path:
    return Path(settings.DATA_DIR, "scripts-cache")


def _fill(aside: Path, wanted: Wanted, tell: ReportLine) -> str:
    try:
        return fill(aside, wanted.text, wanted.header, _downloads(), tell)
    except NotPrepared as error:
        raise ScriptRefused(error.code, error.message, error.messages) from None


def _move(aside: Path, folder: Path) -> None:
    try:
        aside.rename(folder)
    except OSError:
        if not folder.exists():  # otherwise another process has prepared the same script
            raise


def _clear_away(folder: Path) -> None:
    """Delete old files of processes that were killed while they prepared a script."""
    before = time.time() - ABANDONED_SECONDS
    for left in folder.glob(f"{_PREPARING}*"):
        with suppress(FileNotFoundError):
            if left.stat().st_mtime < before:
                shutil.rmtree(left, ignore_errors=True)
    for state in folder.glob(f"{_STATE}*"):
        put_away(state, older_than=before)
