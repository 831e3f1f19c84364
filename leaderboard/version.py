"""The version of the product, defined only here: pyproject.toml reads this file."""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from django.conf import settings

VERSION = "0.1.0"

SUFFIXES: Final = {".py", ".html", ".svg", ".css", ".js"}
"""The suffixes of files that answers may depend on."""


@cache
def build() -> str:
    """A hash of the version and of this process's files, for ETags.

    It changes with each upgrade, also between two releases, so that no browser keeps showing a page
    of another version. It is equal on all servers with the same files.
    """
    files: Path = settings.FILES_DIR
    return build_of(VERSION, Path(__file__).parent, files / "templates", files / "static")


def build_of(version: str, *folders: Path) -> str:
    """A hash of a version and of the names and contents of files, 16 hexadecimal digits."""
    digest = sha256(version.encode())
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.suffix in SUFFIXES and file.is_file():
                digest.update(sha256(f"{file.relative_to(folder)}".encode()).digest())
                digest.update(sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]
