"""Warning before a disk is full."""

from __future__ import annotations

import logging

from leaderboard.services.operations.gauges import disk

logger = logging.getLogger(__name__)

_told = False


def tell_little_space() -> None:
    """Log once when the data folder's disk begins to run full, and once when it has room again."""
    global _told
    now = disk()
    if now.is_low and not _told:
        shown = {"free_bytes": now.free, "total_bytes": now.total}
        logger.warning("less than 5 % of the disk of DATA_DIR is free", extra=shown)
    elif _told and not now.is_low:
        logger.warning("the disk of DATA_DIR has room again")
    _told = now.is_low
