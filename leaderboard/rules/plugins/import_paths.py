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


def library_folders() -> list[str]:
    """The folders of Python's own libraries and of installed packages."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    return [os.path.join(prefix, name) for prefix in prefixes for name in ("lib", "lib64")]


def contains(folder: str, path: str) -> bool:
    """Whether `path` is `folder` or inside it, after following links."""
    folder, path = os.path.realpath(folder), os.path.realpath(path)
    return path == folder or path.startswith(folder.rstrip("/") + "/")
