"""Drawings as PNG. A picture takes a tenth of a second of the processor, so it is made once.

resvg needs no library of the system. It uses the font that we ship and those of `OG_FONTS`, but not
the fonts of the system, so that a picture looks the same on every server.
"""

from __future__ import annotations

import time
from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from typing import Final

import resvg_py
from django.core.cache import cache

from leaderboard.pages.sharing.glyphs import font_files

KEPT_SECONDS: Final = 24 * 3600
LONGEST_WAIT: Final = 5.0
_ONE_AT_A_TIME = Lock()


def etag_of(key: object) -> str:
    return f'"{sha256(repr(key).encode()).hexdigest()[:32]}"'


def picture_of(key: str, drawing: Callable[[], str]) -> bytes:
    """The PNG of a drawing, made at its first request and cached by its key.

    Requests of other threads and processes meanwhile wait for it. drawing: makes the SVG.
    """
    name = f"picture:{sha256(key.encode()).hexdigest()[:32]}"
    if (picture := cache.get(name)) is not None:
        return b64decode(picture)
    with _ONE_AT_A_TIME:
        if not cache.add(f"{name}:begun", True, LONGEST_WAIT):
            _wait_for(name)
        if (picture := cache.get(name)) is not None:
            return b64decode(picture)
        made = rendered(drawing())
        cache.set(name, b64encode(made).decode(), KEPT_SECONDS)
        return made


def rendered(svg: str) -> bytes:
    """An SVG of our own as PNG, with the fonts of pictures alone."""
    return resvg_py.svg_to_bytes(
        svg_string=svg, skip_system_fonts=True, font_files=font_files(), resources_dir=None
    )


def _wait_for(name: str) -> None:
    """Wait while another process makes a picture; it may have died, so not for long."""
    end = time.monotonic() + LONGEST_WAIT
    while cache.get(name) is None and time.monotonic() < end:
        time.sleep(0.05)
