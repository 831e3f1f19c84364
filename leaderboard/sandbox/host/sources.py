"""The identity of a plugin's code: a hash of its files, which are read and never imported.

The code of a plugin is its module, the packages above it, and, recursively, all modules of the
same top-level package that these import anywhere in their text. The versions of the installed
packages that the top-level package belongs to are a part of it. Files count as they are, with
their comments. Other packages, data files and modules imported by a computed name do not count,
and neither do those that are imported only by a file of more than 1 MiB.
"""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.machinery import BYTECODE_SUFFIXES, EXTENSION_SUFFIXES, SOURCE_SUFFIXES, ModuleSpec
from importlib.metadata import Distribution, entry_points
from itertools import chain

from leaderboard.rules.plugins.entrypoints import (
    InvalidEntrypoint,
    normalise_entrypoint,
    split_entrypoint,
)
from leaderboard.rules.plugins.import_paths import contains, import_path
from leaderboard.rules.plugins.kinds import KINDS
from leaderboard.rules.plugins.own import own_package, written
from leaderboard.sandbox.host.imports import imported_by
from leaderboard.sandbox.host.packages import UNREADABLE, metadata_in, provides

CODE_LENGTH = 16
"""Hexadecimal digits of a code: 64 bits, enough to tell any number of editions apart."""

CERTAIN_AFTER_NS = 2_000_000_000
"""The age in nanoseconds from which a file's time stamp proves that it has not changed. A younger
file might be written again with the same time stamp, as file systems store coarse times."""

MOST_SEARCHED_BYTES = 1 << 20
"""The size up to which files are searched for imports, which takes up to 450 times the memory."""

SUFFIXES = (*EXTENSION_SUFFIXES, *SOURCE_SUFFIXES, *BYTECODE_SUFFIXES)

SourceStamp = tuple[int, int, int, int]


@dataclass(slots=True)
class _ReadCode:
    """A code, and the stamps of the files and folders that it depends on.

    `is_certain`: whether all were old enough for their stamps to prove that nothing changed.
    """

    code: str
    stamps: dict[str, SourceStamp | None]
    is_certain: bool


@dataclass(frozen=True, slots=True)
class Module:
    """The place of a module: its file ("" for a namespace package) and a package's folders."""

    file: str
    folders: tuple[str, ...] = ()


_codes: dict[tuple[str, tuple[str, ...], tuple[str, ...], str], _ReadCode] = {}
_parsed: dict[tuple[str, str, bool], tuple[str, ...]] = {}


def code_of(
    entrypoint: str, packages: Sequence[str], path: Sequence[str], project: str, uploads: str = ""
) -> str:
    """The current code of the plugin `module:Class` on this host; "" if it cannot be read.

    packages, path, uploads: as in `SandboxSettings`; project: the folder of the product. Files that
    have not changed since the last call are not read again.
    """
    if uploads and (package := own_package(entrypoint)):
        packages, path = (package,), (os.path.join(os.path.abspath(uploads), package),)
    try:
        module, _ = split_entrypoint(normalise_entrypoint(entrypoint))
    except InvalidEntrypoint:
        return ""
    key = (module, tuple(packages), tuple(path), project)
    known_code = _codes.get(key)
    if known_code is None or not (known_code.is_certain and is_unchanged(known_code.stamps)):
        reader = Reader(module, tuple(packages), tuple(path), project)
        known_code = _codes[key] = reader.read_code()
    return known_code.code


def file_of(module: str, packages: Sequence[str], path: Sequence[str], project: str) -> str:
    """The file that children import as this module; "" if there is none.

    A link may lead from a package to any file, which children cannot read and this process can: so
    a file outside of its top-level package does not count.
    """
    reader = Reader(module, tuple(packages), tuple(path), project)
    found_module, top = reader.find(module), reader.modules[module.partition(".")[0]]
    if found_module is None or top is None:
        return ""
    is_inside = found_module is top or any(
        contains(folder, found_module.file) for folder in top.folders
    )
    return found_module.file if is_inside else ""


def combined(codes: Sequence[str]) -> str:
    """One code for several; "" if there is none or one of them is unknown."""
    if len(codes) < 2 or not all(codes):
        return codes[0] if len(codes) == 1 else ""
    return _digest("\n".join(codes).encode())


def _digest(text: bytes) -> str:
    return sha256(text).hexdigest()[:CODE_LENGTH]


def is_unchanged(stamps: dict[str, SourceStamp | None]) -> bool:
    return all(_stamp(path) == stamp for path, stamp in stamps.items())


def _stamp(path: str) -> SourceStamp | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


@dataclass(slots=True)
class Reader:
    """Reads all files of a plugin once."""

    module: str
    packages: tuple[str, ...]
    path: tuple[str, ...]
    project: str
    stamps: dict[str, SourceStamp | None] = field(default_factory=dict)
    modules: dict[str, Module | None] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)

    def read_code(self) -> _ReadCode:
        began = time.time_ns()
        code = self._code()
        times = [moment for stamp in self.stamps.values() if stamp for moment in stamp[:2]]
        return _ReadCode(code, self.stamps, max(times, default=0) < began - CERTAIN_AFTER_NS)

    def _code(self) -> str:
        self.follow()
        module = self.modules.get(self.module)
        if module is None or not module.file or self.module not in self.digests:
            return ""
        # The name of an upload is not a part of it: the same files have the same code.
        lines = [f"{written(name)} {digest}" for name, digest in sorted(self.digests.items())]
        return _digest("\n".join([*lines, *sorted(self._versions())]).encode())

    def follow(self) -> None:
        """Read the module and, recursively, all modules it imports for which `is_own` is true."""
        waiting, visited = [self.module], set[str]()
        while waiting:
            name = waiting.pop()
            if name not in visited and self.is_own(name):
                visited.add(name)
                waiting += self._with_parents(name)

    def is_own(self, name: str) -> bool:
        """Whether a module is a part of the plugin's code."""
        return name.partition(".")[0] == self.module.partition(".")[0]

    def folders_of(self, top: str) -> Sequence[str]:
        """The folders of the path in which a top-level module is searched."""
        return self.path

    def find(self, name: str) -> Module | None:
        """The place of a module, after reading it and the packages above it."""
        for _ in self._with_parents(name):
            pass
        return self.modules.get(name)

    def _with_parents(self, name: str) -> Iterator[str]:
        """Read a module and the packages above it; yields the names of modules they import."""
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            above = ".".join(parts[:end])
            if above not in self.modules:
                self.modules[above] = module = self._find(above)
                if module is not None and module.file:
                    yield from self._read(above, module)
            if self.modules[above] is None:
                return

    def _read(self, name: str, module: Module) -> Sequence[str]:
        try:
            with open(module.file, "rb") as file:
                source = file.read(MOST_SEARCHED_BYTES + 1)
                whole = sha256(source)
                while more := file.read(MOST_SEARCHED_BYTES):
                    whole.update(more)
        except OSError:
            return ()
        digest = self.digests[name] = whole.hexdigest()
        is_searched = len(source) <= MOST_SEARCHED_BYTES
        if not (is_searched and module.file.endswith(tuple(SOURCE_SUFFIXES))):
            return ()
        key = (name, digest, bool(module.folders))
        if key not in _parsed:
            _parsed[key] = imported_by(source, name, is_package=bool(module.folders))
        return _parsed[key]

    # Places of modules, searched in the same order as by the child's importers.

    def _find(self, name: str) -> Module | None:
        parent, _, last = name.rpartition(".")
        if parent:
            above = self.modules[parent]
            return self._within(last, above.folders) if above else None
        folders = [*self.folders_of(last), *import_path(self.project)]
        if last in self.packages:
            folders.append(self.project)
        return self._within(last, folders) or _by_other_finders(last)

    def _within(self, name: str, folders: Sequence[str]) -> Module | None:
        namespace = []
        for folder in folders:
            base = os.path.join(folder, name)
            self._note(folder)
            if os.path.isdir(base):
                self._note(base)
                if init := self._file(os.path.join(base, "__init__")):
                    return Module(init, (base,))
                namespace.append(base)
            if file := self._file(base):
                return Module(file)
        return Module("", tuple(namespace)) if namespace else None

    def _file(self, base: str) -> str:
        for suffix in SUFFIXES:
            if os.path.isfile(base + suffix):
                self._note(base + suffix)
                return base + suffix
        return ""

    def _note(self, path: str) -> None:
        """Record a path's stamp. Call it before reading the path, so that later changes show."""
        if path not in self.stamps:
            self.stamps[path] = _stamp(path)

    # Installed packages.

    def _versions(self) -> Iterator[str]:
        """`name==version` of the installed packages that the top-level package belongs to."""
        top = self.module.partition(".")[0]
        module = self.modules[top]
        if module is None:
            return
        place = module.folders[0] if module.folders else module.file
        folder = os.path.dirname(place)
        beside = [
            distribution for distribution in metadata_in(folder) if provides(distribution, top)
        ]
        for distribution in beside or map(
            Distribution.from_name, sorted(_announced().get(top, ()))
        ):
            with suppress(*UNREADABLE):
                yield f"{distribution.name}=={distribution.version}"


@cache
def _announced() -> dict[str, set[str]]:
    """Installed packages by the top-level packages that their entry points name.

    This finds editable installations, whose metadata does not lie beside their code. Read once per
    process, like entry points.
    """
    packages: dict[str, set[str]] = {}
    groups = {group for kind in KINDS.values() for group in kind.groups}
    for entry_point in chain.from_iterable(entry_points(group=group) for group in groups):
        if entry_point.dist is not None:
            packages.setdefault(entry_point.module.partition(".")[0], set()).add(
                entry_point.dist.name
            )
    return packages


def _by_other_finders(top: str) -> Module | None:
    """Ask the other finders, such as those of editable installations, for a module's place.

    For a top-level name, this imports nothing.
    """
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    return None if spec is None else module_of(spec)


def module_of(spec: ModuleSpec) -> Module:
    """The place that a finder found."""
    file = spec.origin if spec.has_location and spec.origin else ""
    return Module(file, tuple(spec.submodule_search_locations or ()))
