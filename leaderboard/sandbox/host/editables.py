"""Where modules of editable installations (`pip install -e`) lie: outside of the environment.

Such an installation puts a finder or links into the environment. One that puts a folder on the
import path needs nothing of this.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.machinery import PathFinder

from leaderboard.rules.plugins.import_paths import contains, library_folders
from leaderboard.sandbox.host.sources import Module, module_of


@lru_cache(4096)
def places_by_finder(top: str, project: str) -> tuple[str, ...]:
    """The places of a top-level module for which an editable installation has a finder.

    Asked once per process, which reads the finders when it starts.
    """
    for finder in sys.meta_path:
        if finder is not PathFinder:  # which searches folders that children do not have
            with suppress(ImportError, ValueError):
                if spec := finder.find_spec(top, None):
                    module = module_of(spec)
                    return tuple(files_outside(module, [module.file], project))
    return ()


def files_outside(top: Module, files: Iterable[str], project: str) -> list[str]:
    """The places that children must read to import a package, beside Python's libraries.

    top: its top-level module. files: those of its modules. [] for packages of the product itself,
    as children see these only if the settings name them.
    """
    places = top.folders or (top.file,)
    if any(contains(os.path.dirname(place), project) for place in places):
        return []
    libraries = library_folders()
    folders = _outside_of(libraries, top.folders)
    return [*folders, *_outside_of([*libraries, *top.folders], files)]


def _outside_of(folders: Sequence[str], places: Iterable[str]) -> Iterator[str]:
    """Those of the places that are, after following links, in none of the folders."""
    for place in filter(None, places):
        if not any(contains(folder, place) for folder in folders):
            yield place
