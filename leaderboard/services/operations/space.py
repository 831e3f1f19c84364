"""Warns before the disk is full."""

from __future__ import annotations

import logging

from leaderboard.services.operations.gauges import disk

logger = logging.getLogger(__name__)

_logged = False


def log_little_space() -> None:
    """Log once when the data folder's disk has little space, and once when it has enough again."""
    global _logged
    now = disk()
    if now.is_low and not _logged:
        sizes = {"free_bytes": now.free, "total_bytes": now.total}
        logger.warning("less than 5 % of the disk of DATA_DIR is free", extra=sizes)
    elif _logged and not now.is_low:
        logger.warning("the disk of DATA_DIR has enough space again")
    _logged = now.is_low
