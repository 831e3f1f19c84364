"""The packages of a program: those of this server, or an environment that uv prepares.

An environment is prepared as that of a metric script without a text, so it has the same progress
and the same rules: only wheels of the operator's index, nothing is run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from leaderboard.programs.reading.packages import locked, missing
from leaderboard.services.scripts.prepare import (
    begin_preparing,
    key_of,
    prepare_script,
    progress_of,
)

__all__ = ["begin_preparing", "key_of", "progress_of"]


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


def environment_code(packages: Sequence[str]) -> str:
    """Identifies the versions of the packages that a program runs with."""
    names = locked(packages) if not missing(packages) else tuple(sorted(packages))
    return hashlib.sha256("\n".join(names).encode()).hexdigest()
