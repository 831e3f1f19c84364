"""The packages of a program: those of this server, or an environment that uv prepares.

An environment is prepared as that of a metric script without a text, so it has the same progress
and the same rules: only wheels of the operator's index, nothing is run.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from functools import cache
from typing import Final

from leaderboard.programs.reading.packages import locked, missing
from leaderboard.services.scripts.prepare import (
    begin_preparing,
    key_of,
    prepare_script,
    progress_of,
)

__all__ = ["begin_preparing", "key_of", "progress_of"]


USUAL: Final = ("numpy", "pandas", "scikit-learn", "scipy")
"""The packages of this server that programs use without naming them."""


def header_for(packages: Sequence[str]) -> str:
    """The metric script that stands for an environment with these packages."""
    lines = "".join(f'#     "{package}",\n' for package in sorted(packages))
    return f"# /// script\n# dependencies = [\n{lines}# ]\n# ///\n"


def prepared_folder(packages: Sequence[str]) -> str:
    """The folder of the environment, prepared if needed; "" if this server has the packages.

    Raises ScriptRefused.
    """
    if not missing(packages):
        return ""
    return str(prepare_script(header_for(packages)).folder)


@cache
def environment_code(packages: tuple[str, ...]) -> str:
    """Identifies the versions of the packages that a program runs with."""
    names = sorted(packages)
    if not missing(packages):
        usual = [name for name in USUAL if not missing([name])]
        names = sorted({*locked(packages), *locked(usual)})
    python = ".".join(map(str, sys.version_info[:2]))
    return hashlib.sha256("\n".join([python, *names]).encode()).hexdigest()
