"""The plugins that a child can see: its own, and the modules that this needs.

Other plugins of `SandboxSettings.path` may belong to another tenant, so a child sees neither their
code nor their files. Every child sees Python, installed packages and Podium's own scorers.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from leaderboard.rules.plugins.own import own_package
from leaderboard.rules.plugins.package_names import is_metadata
from leaderboard.sandbox.contract import SHIPPED_PACKAGE
from leaderboard.sandbox.host.editables import files_outside, places_by_finder
from leaderboard.sandbox.host.packages import UNREADABLE, Package, listed, package
from leaderboard.sandbox.host.sources import (
    CERTAIN_AFTER_NS,
    SUFFIXES,
    Reader,
    SourceStamp,
    is_unchanged,
)

Owners = Mapping[str, frozenset[str]]
"""The tenants that a package, or a folder of the path with all its contents, belongs to. All
tenants may use a package or folder without an entry."""

_NOBODY = frozenset[str]()


def owners_of(module: str, path: Sequence[str], owners: Owners) -> frozenset[str] | None:
    """The tenants that a module's plugins belong to; None if all tenants may use them."""
    top = module.partition(".")[0]
    folder = next((folder for folder in path if _entries(folder, top)), "")
    return _owners_in(os.path.abspath(folder) if folder else "", top, path, owners)


def _owners_in(folder: str, top: str, path: Sequence[str], owners: Owners) -> frozenset[str] | None:
    """The tenants that a package in this folder belongs to; None if all tenants may use it.

    A symbolic link may be used by a tenant who may use both the link and what it leads to.
    """
    tenants = owners.get(top, owners.get(folder))
    for entry in _entries(folder, top) if owners else ():
        if os.path.islink(entry):
            tenants_of_target = _owners_of_place(os.path.realpath(entry), path, owners)
            if tenants_of_target is not None:
                tenants = tenants_of_target if tenants is None else tenants & tenants_of_target
    return tenants


def _owners_of_place(place: str, path: Sequence[str], owners: Owners) -> frozenset[str] | None:
    """The tenants that may use what a symbolic link leads to. place: where that is.

    Nobody may use a link to a whole folder of the path, or to a folder that contains one, because
    packages of several tenants may be in it.
    """
    for folder in path:
        root = os.path.realpath(folder)
        if root == place or root.startswith(os.path.join(place, "")):
            return _NOBODY
        if place.startswith(os.path.join(root, "")):
            top = os.path.relpath(place, root).split(os.sep)[0].partition(".")[0]
            return owners.get(top, owners.get(os.path.abspath(folder)))
    return None


def may_use(entrypoint: str, tenant: str, path: Sequence[str], owners: Owners) -> bool:
    """Whether challenges of the tenant with this slug may name the plugin."""
    tenants = owners_of(entrypoint.partition(":")[0], path, owners)
    return tenants is None or tenant in tenants


def hidden_packages(
    packages: Sequence[str], path: Sequence[str], owners: Owners
) -> Iterator[tuple[str, str, str]]:
    """Packages that tenants cannot use because an earlier folder of others has the same name.

    Yields the name, the earlier folder and the folder of the hidden package.
    """
    for top in packages:
        having = [folder for folder in path if _entries(folder, top)]
        for folder in having[1:]:
            if _owners_in(folder, top, path, owners) != _owners_in(having[0], top, path, owners):
                yield top, having[0], folder


def folder_of_upload(uploads: str, name: str) -> str:
    """The folder with the package of the upload that a plugin is in; "" if it is in none."""
    package = own_package(name)
    return os.path.join(os.path.abspath(uploads), package) if uploads and package else ""


class View(NamedTuple):
    """The places of plugin code that the children of a zygote see.

    packages: names that are found in the project's folder. modules: top-level names, each with the
    folder of the path that it is found in. places: files and folders that may be read.
    uploads: the folder with the package of an upload, if the plugin is in one.
    """

    packages: tuple[str, ...] = ()
    modules: tuple[tuple[str, str], ...] = ()
    places: tuple[str, ...] = ()
    uploads: tuple[str, ...] = ()


@dataclass(slots=True)
class _ReadView:
    """A view, and the stamps of the files and folders that it depends on."""

    view: View
    stamps: dict[str, SourceStamp | None]
    is_certain: bool


class Views:
    """Finds the view of each plugin, and remembers it until its files change."""

    def __init__(
        self,
        packages: Sequence[str],
        path: Sequence[str],
        owners: Owners,
        project: str,
        uploads: str = "",
    ) -> None:
        self._packages, self._path = tuple(packages), tuple(map(os.path.abspath, path))
        self._owners, self._project, self._uploads = owners, project, uploads
        self._views: dict[str, _ReadView] = {}

    def whole(self) -> View:
        """The view of all plugins: only for listing the names of files, never for running one."""
        folders = [folder for folder in self._path if os.path.isdir(folder)]
        modules = ((name, folder) for folder in folders for name in self._packages)
        places = [
            place for name in self._packages for place in places_by_finder(name, self._project)
        ]
        return View(self._packages, tuple(modules), (*folders, *places))

    def of(self, module: str) -> View:
        """What the child that imports this module may see."""
        known_view = self._views.get(module)
        if known_view is None or not (known_view.is_certain and is_unchanged(known_view.stamps)):
            began = time.time_ns()
            upload = folder_of_upload(self._uploads, module)
            packages, path = (
                ((own_package(module), SHIPPED_PACKAGE), (upload,))
                if upload
                else (self._packages, self._path)
            )
            follower = _Follower(module, packages, path, self._project, owners=self._owners)
            view = follower.view()._replace(uploads=(upload,) if upload else ())
            times = [moment for stamp in follower.stamps.values() if stamp for moment in stamp[:2]]
            is_certain = max(times, default=0) < began - CERTAIN_AFTER_NS
            known_view = self._views[module] = _ReadView(view, follower.stamps, is_certain)
        return known_view.view


@dataclass(slots=True)
class _Follower(Reader):
    """Reads a module and, recursively, what it imports, within the path and the packages."""

    owners: Owners = field(default_factory=dict)

    def view(self) -> View:
        """The view of the packages that were reached, with their installed requirements."""
        self.follow()
        reached = {name.partition(".")[0] for name in self.modules}
        reached |= {self.module.partition(".")[0], SHIPPED_PACKAGE}
        tops = sorted(filter(self.is_own, reached))
        modules, places = set[tuple[str, str]](), set[str]()
        for folder in self.path:
            names = {top for top in tops if _entries(folder, top) and self._is_open(folder, top)}
            asked = set(self._asked_for(folder, names))
            names |= {entry.partition(".")[0] for entry in asked if _is_importable(folder, entry)}
            modules |= {(name, folder) for name in names}
            places |= {entry for name in names for entry in _entries(folder, name)}
            places |= {os.path.join(folder, entry) for entry in asked}
        places |= set(self._places_of_editables())
        packages = tuple(top for top in tops if top in self.packages)
        return View(packages, tuple(sorted(modules)), tuple(sorted(places)))

    def is_own(self, name: str) -> bool:
        """Whether a module is in the path, the packages or an editable installation, and the
        plugin's tenants may use it."""
        top = name.partition(".")[0]
        if top == self.module.partition(".")[0]:
            return True
        folders = self._having(top)
        if folders:
            return any(self._is_open(folder, top) for folder in folders)
        is_found = top in self.packages or bool(places_by_finder(top, self.project))
        return is_found and self._is_for_ours(self.owners.get(top))

    def _having(self, top: str) -> list[str]:
        return [folder for folder in self.path if _entries(folder, top)]

    def _places_of_editables(self) -> Iterator[str]:
        """What the reached modules of the environment need that is not in the environment."""
        files: dict[str, list[str]] = {}
        for name, module in self.modules.items():
            if module is not None:
                files.setdefault(name.partition(".")[0], []).append(module.file)
        for top, own in files.items():
            module = self.modules[top]
            if module is not None and not self._having(top):
                yield from files_outside(module, own, self.project)

    def folders_of(self, top: str) -> Sequence[str]:
        """The folders in which the plugin's tenants may use a package of this name.

        A package of another tenant, in an earlier folder, must not hide theirs.
        """
        for folder in self.path:
            self._note(folder)  # a plugin of this name may be added to any of them
        return [folder for folder in self.path if self._is_open(folder, top)]

    def _is_open(self, folder: str, top: str) -> bool:
        """Whether the plugin's tenants may use the package of this name in this folder.

        A folder of other tenants may have a package of the plugin's own name.
        """
        return self._is_for_ours(_owners_in(folder, top, self.path, self.owners))

    def _is_for_ours(self, tenants: frozenset[str] | None) -> bool:
        """Whether all of the plugin's tenants are among these tenants. None: all tenants."""
        ours = owners_of(self.module, self.path, self.owners)
        return tenants is None or bool(ours and ours <= tenants)

    def _asked_for(self, folder: str, tops: Iterable[str]) -> Iterator[str]:
        """Entries of a folder with installed packages (as by `pip install --target`).

        These are all files of the packages that `tops` belong to, and of their requirements, as far
        as their metadata can be believed: a package may list any file as its own.
        """
        entries = set(listed(folder))
        packages = []
        for entry in entries:
            if is_metadata(entry):
                place = os.path.join(folder, entry)
                self._note(os.path.join(place, "RECORD"))
                self._note(os.path.join(place, "METADATA"))
                with suppress(*UNREADABLE):
                    packages.append(package(folder, entry, entries))
        closed = set[str]()
        for installed_package in packages:
            if not all(map(partial(self._is_ours, folder), installed_package.entries)):
                closed |= installed_package.entries
        is_shared = any(not self._is_ours(folder, entry) for entry in entries)
        waiting = [one.name for one in packages if any(map(one.has_module, tops))]
        visited = set[str]()
        while waiting:
            name = waiting.pop()
            if name in visited:
                continue
            visited.add(name)
            for installed_package in packages:
                if installed_package.name == name:
                    yield from self._of_package(
                        folder, installed_package, closed, is_shared=is_shared
                    )
                    waiting += installed_package.requires

    def _of_package(
        self, folder: str, package: Package, closed: Collection[str], *, is_shared: bool
    ) -> Iterator[str]:
        """The entries of an installed package that the plugin may read.

        closed: those that packages of other tenants list. is_shared: whether the folder has such
        packages. Then a package has no other files than modules, its metadata and its libraries.
        """
        for entry in package.entries:
            if _is_importable(folder, entry):
                if self._is_ours(folder, entry):
                    yield entry
            elif not self.owners or (
                entry not in closed
                and not os.path.islink(os.path.join(folder, entry))
                and (not is_shared or package.has_named(entry))
            ):
                yield entry

    def _is_ours(self, folder: str, entry: str) -> bool:
        """Whether it is no module, or one that the plugin's tenants may use."""
        return not _is_importable(folder, entry) or self._is_open(folder, entry.partition(".")[0])


def _entries(folder: str, top: str) -> list[str]:
    """The paths of a top-level module or package in a folder; [] if it is not there."""
    base = os.path.join(folder, top)
    files = [base + suffix for suffix in SUFFIXES if os.path.isfile(base + suffix)]
    return [base, *files] if os.path.isdir(base) else files


def _is_importable(folder: str, entry: str) -> bool:
    is_folder = os.path.isdir(os.path.join(folder, entry))
    return entry.isidentifier() if is_folder else entry.endswith(tuple(SUFFIXES))
