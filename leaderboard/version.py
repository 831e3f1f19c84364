"""The version of the product, as pyproject.toml says it."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

DISTRIBUTION = "podium"


def _read() -> str:
    """From the source beside this package, else from the installed distribution."""
    project = Path(__file__).resolve().parent.parent / "pyproject.toml"
    if project.is_file():
        return str(tomllib.loads(project.read_text())["project"]["version"])
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown"


VERSION = _read()
