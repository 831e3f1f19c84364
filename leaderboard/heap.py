"""Garbage collections of a server that has started."""

import gc

from django.urls import get_resolver


def keep_what_is_loaded() -> None:
    """Load all pages and doors, and take what is in memory by then out of garbage collections.

    It stays as long as the process. A request that makes some ten thousand objects sets off a
    collection of everything, which otherwise looks at all code that is loaded.
    """
    get_resolver().url_patterns  # noqa: B018 - imports them
    gc.collect()
    gc.freeze()
