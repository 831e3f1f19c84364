"""The import path without folders of the application."""

import os
import sys
import sysconfig


def import_path(project: str) -> list[str]:
    """`sys.path` without folders of the application, except those made for packages."""
    made_for_packages = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
    return [
        path
        for path in sys.path
        if path and (path in made_for_packages or not contains(path, project))
    ]


def contains(folder: str, path: str) -> bool:
    """Whether `path` is `folder` or inside it, after following links."""
    folder, path = os.path.realpath(folder), os.path.realpath(path)
    return path == folder or path.startswith(folder.rstrip("/") + "/")
