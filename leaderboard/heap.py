"""Makes garbage collections of a started server faster."""

import gc

from django.urls import get_resolver


def keep_what_is_loaded() -> None:
    """Load all views, then exclude all objects in memory from garbage collections.

    These objects live as long as the process. A request that makes some ten thousand objects
    triggers a full collection, which would otherwise examine all loaded code.
    """
    get_resolver().url_patterns  # noqa: B018 - imports them
    gc.collect()
    gc.freeze()
