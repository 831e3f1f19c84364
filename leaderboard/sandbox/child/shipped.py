"""Podium's own plugins, imported once for all children: in the fork server, the zygote, the child.

They are as trusted as the code that imports them here, but they are still plugins: an edited file
takes effect in the next child, and if the settings name another package of this name, or none, the
imported modules are forgotten.
"""

import os
import sys
from importlib.machinery import PathFinder
from types import ModuleType

from leaderboard.sandbox.contract import SHIPPED_PACKAGE

ShippedStamp = tuple[int, int, int, int]

_stamps: dict[str, ShippedStamp | None] = {}
_forgotten: list[ModuleType] = []


def note_stamps() -> None:
    """In the fork server, after the import: record the state of the files."""
    files = {getattr(sys.modules[name], "__file__", None) for name in _imported()}
    _stamps.update({file: _stamp(file) for file in files if file})


def forget_unless_found() -> None:
    """In the zygote, which knows where packages are: forget modules whose name belongs to another
    package, or to none.
    """
    spec = PathFinder.find_spec(SHIPPED_PACKAGE)
    imported = sys.modules.get(SHIPPED_PACKAGE)
    if imported is not None and (spec is None or spec.origin != imported.__file__):
        forget()


def forget_changed() -> None:
    """In a child, before a plugin is imported: forget modules whose files have changed since."""
    if any(_stamp(file) != stamp for file, stamp in _stamps.items()):
        forget()


def forget() -> None:
    """Let the modules be imported again.

    They stay referenced: freeing them would copy their memory.
    """
    _forgotten.extend(map(sys.modules.pop, _imported()))
    _stamps.clear()


def _imported() -> list[str]:
    return [name for name in sys.modules if name.partition(".")[0] == SHIPPED_PACKAGE]


def _stamp(file: str) -> ShippedStamp | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
