"""Packages that are installed in a folder, by their metadata, whose author may be hostile."""

from __future__ import annotations

import csv
import os
import re
import stat
from collections.abc import Collection, Iterator
from contextlib import suppress
from importlib.metadata import Distribution
from pathlib import Path
from typing import NamedTuple

from leaderboard.rules.plugins.package_names import is_metadata, standard_name

UNREADABLE = (csv.Error, ValueError, TypeError, OSError)
"""Errors of metadata that is no text or no table of files."""
MOST_CHARACTERS = 8 << 20
MOST_LINES = 200_000
"""The limits of a file with metadata; the largest libraries list some 20 000 files in 3 MB."""

_NAME_OF_REQUIREMENT = re.compile(r"[A-Za-z0-9._-]+")


class Metadata(Distribution):
    """The metadata in a folder or file. Files that are not regular may never end: a pipe, a device.

    Methods and properties raise one of `UNREADABLE`.
    """

    def __init__(self, place: str) -> None:
        self._place = Path(place)

    def read_text(self, filename: str) -> str | None:
        with (
            suppress(FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError),
            open(self._place / filename, encoding="utf-8", opener=_open_without_waiting) as file,
        ):
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ValueError("not a regular file")
            text = file.read(MOST_CHARACTERS + 1)
            if len(text) > MOST_CHARACTERS or len(text.splitlines()) > MOST_LINES:
                raise ValueError("too large")
            return text
        return None

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        return self._place.parent / path


def _open_without_waiting(path: str, flags: int) -> int:
    """Open a pipe without waiting for its writer."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)


def metadata_in(folder: str) -> Iterator[Metadata]:
    """The metadata of all packages that are installed in a folder."""
    is_egg = folder.endswith(".egg")
    for entry in listed(folder):
        if is_metadata(entry) or (is_egg and entry == "EGG-INFO"):
            yield Metadata(os.path.join(folder, entry))


def listed(folder: str) -> list[str]:
    """The entries of a folder; [] if it cannot be read."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def provides(distribution: Distribution, top: str) -> bool:
    """Whether an installed package has this top-level module; False if it cannot be read."""
    try:
        tops = top_level(distribution)
        if tops:
            return top in tops
        return not {top, f"{top}.py"}.isdisjoint(first_parts(distribution))
    except UNREADABLE:
        return False


def top_level(distribution: Distribution) -> list[str]:
    """The names of a package's top-level modules; [] if it does not say. Raises like `Metadata`."""
    return (distribution.read_text("top_level.txt") or "").split()


def first_parts(distribution: Distribution) -> set[str]:
    """The first parts of the paths that a package lists, which may be anything, such as `/`.

    Raises one of `UNREADABLE`.
    """
    return {file.parts[0] for file in distribution.files or () if file.parts}


class Package(NamedTuple):
    """An installed package and its entries of a folder. Names are in the standard form.

    requires: the names of the packages that it needs. metadata: the entry from which all of this
    was read.
    """

    name: str
    distribution: Distribution
    requires: list[str]
    entries: set[str]
    metadata: str

    def has_module(self, top: str) -> bool:
        """Whether it has this top-level module, or at least the same name."""
        return provides(self.distribution, top) or self.name == standard_name(top)

    def has_named(self, entry: str) -> bool:
        """Whether an entry is its metadata or, by its name, its libraries."""
        stem = entry.removesuffix(".libs")
        return entry == self.metadata or (stem != entry and standard_name(stem) == self.name)


def package(folder: str, metadata: str, folder_entries: Collection[str]) -> Package:
    """A package with its entries among those of the folder: the ones that it lists, or else the
    ones with the names of its modules, or else those with its own name.

    Raises one of `UNREADABLE`.
    """
    distribution = Metadata(os.path.join(folder, metadata))
    name = standard_name(distribution.name or "")
    tops = set(map(standard_name, top_level(distribution) or [name]))
    named = {entry for entry in folder_entries if standard_name(entry.partition(".")[0]) in tops}
    entries = first_parts(distribution).intersection(folder_entries) or named
    requires = list(map(_required, distribution.requires or ()))
    return Package(name, distribution, requires, {metadata, *entries} - {"__pycache__"}, metadata)


def _required(requirement: str) -> str:
    match = _NAME_OF_REQUIREMENT.match(requirement)
    return standard_name(match[0]) if match else ""
