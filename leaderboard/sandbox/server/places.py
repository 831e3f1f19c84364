"""The places of Python, its packages and the plugins, which a child may read and import."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.abc import PathEntryFinder
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
    SourcelessFileLoader,
)
from importlib.metadata import Distribution, DistributionFinder
from types import ModuleType

from leaderboard.rules.plugins.import_paths import import_path, library_folders
from leaderboard.rules.plugins.package_names import is_metadata, package_of, standard_name
from leaderboard.sandbox.server.layers.root import WORK

_SYSTEM = (
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo"),
    *("/etc/ld.so.cache", "/etc/localtime", "/opt/homebrew/lib"),
)
LOADERS = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")
"""Where the dynamic loader is, which the kernel executes to start a program."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
PROCESSOR = ("/proc/cpuinfo",)
"""The file by which torch chooses its instructions; without it, torch takes the slowest."""

_THIS_PYTHON = os.path.realpath(sys.executable)  # before a private root hides links to it

_LOADERS = (
    (ExtensionFileLoader, EXTENSION_SUFFIXES),
    (SourceFileLoader, SOURCE_SUFFIXES),
    (SourcelessFileLoader, BYTECODE_SUFFIXES),
)
_ANY_PACKAGE = DistributionFinder.Context()


class PinnedFolder(PathEntryFinder):
    """Finds the given packages of a folder on the import path, and nothing else in it.

    The project's folder holds the plugin packages next to the application, and the folders of
    SCORER_PATH hold plugins that other children run. Python's own finder would list the folder,
    which a child may not do.
    """

    def __init__(self, folder: str, names: Iterable[str]) -> None:
        listing = FileFinder(folder, *_LOADERS)
        specs = {name: listing.find_spec(name) for name in names}
        self.specs = {name: spec for name, spec in specs.items() if spec is not None}

    def find_spec(self, fullname: str, target: ModuleType | None = None) -> ModuleSpec | None:
        return self.specs.get(fullname)

    def places(self) -> list[str]:
        """The folders (or the single files) of the packages found."""
        places: list[str] = []
        for spec in self.specs.values():
            inside = list(spec.submodule_search_locations or [])
            places += inside or [str(spec.origin)]
        return places


class PinnedDistributions(DistributionFinder):
    """Finds the metadata of installed packages, for `importlib.metadata`, among the given places.

    Python would look for it in a list of the folder's entries, which a child may not read.
    """

    def __init__(self, places: Iterable[str]) -> None:
        self.places = [place for place in places if is_metadata(place)]

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return None

    def find_distributions(
        self, context: DistributionFinder.Context = _ANY_PACKAGE
    ) -> Iterator[Distribution]:
        wanted = None if context.name is None else standard_name(context.name)
        for folder in context.path:
            for place in self.places:
                parent, entry = os.path.split(place)
                if parent == folder and wanted in (None, package_of(entry)):
                    yield Distribution.at(place)


def interpreter_of(folder: str) -> str:
    """The path of the Python in a folder with a prepared environment; "" for this Python."""
    if not folder:
        return _THIS_PYTHON
    return os.path.join(folder, "env", "bin", "python")


def local_path(path: str, mounts: Mapping[str, str], work: str, scratch: Iterable[str] = ()) -> str:
    """Where a path of a command is for a child with this working folder.

    Without a private root, the folders that it reads (`mounts`) are where the host has made them,
    and those that it writes to (`scratch`) are in its working folder.
    """
    if work == WORK:
        return path
    inside = {folder: os.path.join(work, os.path.basename(folder)) for folder in scratch}
    for target, source in {**inside, **mounts}.items():
        if path == target or path.startswith(target + "/"):
            return source + path[len(target) :]
    return path


def readable_places(plugin_places: Iterable[str], project: str) -> list[str]:
    """Absolute paths that a child needs to read: Python, installed packages, plugins."""
    paths = {*_SYSTEM, *library_folders(), *import_path(project), *plugin_places}
    return sorted(os.path.abspath(path) for path in paths if os.path.exists(path))
