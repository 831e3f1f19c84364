"""Where modules are imported from, without what lies in the application's folder."""

import os
import sys
import sysconfig


def import_path(project: str) -> list[str]:
    """`sys.path` without folders that hold the application and are not made for packages."""
    made_for_packages = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
    return [
        path
        for path in sys.path
        if path and (path in made_for_packages or not contains(path, project))
    ]


def contains(folder: str, path: str) -> bool:
    """Whether `path` is `folder` or lies in it, links followed."""
    folder, path = os.path.realpath(folder), os.path.realpath(path)
    return path == folder or path.startswith(folder.rstrip("/") + "/")
