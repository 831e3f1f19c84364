"""The names of browser and operating system in a User-Agent header, as users know them."""

from __future__ import annotations

from typing import Final

BROWSERS: Final = (
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Safari/", "Safari"),
)
"""The parts of a User-Agent that identify browsers. The order matters: most browsers also name
other browsers with which they are compatible."""
SYSTEMS: Final = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_and_system(user_agent: str) -> tuple[str, str]:
    """Such as `("Firefox", "Linux")`; "" for an unknown one."""
    return _first(BROWSERS, user_agent), _first(SYSTEMS, user_agent)


def _first(names_by_part: tuple[tuple[str, str], ...], user_agent: str) -> str:
    return next((name for part, name in names_by_part if part in user_agent), "")
