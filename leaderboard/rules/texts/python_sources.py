"""Parsing Python source."""

from __future__ import annotations

import ast
from threading import Lock
from typing import Final

_ONE_AT_A_TIME: Final = Lock()


def parsed(source: str | bytes) -> ast.Module:
    """The tree of a source. Raises SyntaxError and ValueError.

    Threads parse one after the other: `ast.parse` of CPython 3.11 and 3.12 counts the depth of its
    trees in one place for all threads, and rarely raises SystemError when two parse at once
    (https://github.com/python/cpython/issues/106905).
    """
    with _ONE_AT_A_TIME:
        return ast.parse(source)
