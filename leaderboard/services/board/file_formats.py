"""Which optional formats of files this installation can write."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec


@cache
def writes_parquet() -> bool:
    """Whether `pyarrow` is installed; it is imported only when a board is written."""
    return find_spec("pyarrow") is not None
