"""The memory of a process: what the garbage collector examines, and what the system gets back."""

import ctypes
import gc
from contextlib import suppress

LARGE = 1024 * 1024
"""The bytes of an upload after which memory is given back."""
YOUNG = 50_000
"""New objects that trigger a collection; Python's default is 700."""


def collect_less_often() -> None:
    """Raise the number of new objects that trigger a garbage collection, in this process.

    Importing the product makes some million objects that all stay. With Python's default number, a
    sixth of the time of a start is spent on looking for garbage among them.
    """
    gc.set_threshold(YOUNG, *gc.get_threshold()[1:])


def keep_what_is_loaded() -> None:
    """Load all views, then exclude all objects in memory from garbage collections.

    These objects live as long as the process. A request that makes some ten thousand objects
    triggers a full collection, which would otherwise examine all loaded code.
    """
    from django.urls import get_resolver

    get_resolver().url_patterns  # noqa: B018 - imports them
    gc.collect()
    gc.freeze()


def return_memory() -> None:
    """Return memory to the system that is no longer needed: after a large file, or when idle.

    The C library keeps what many small objects leave, in a heap for each thread.
    """
    gc.collect()
    with suppress(AttributeError, OSError):  # another C library than glibc
        ctypes.CDLL(None).malloc_trim(0)
