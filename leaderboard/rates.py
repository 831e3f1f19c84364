"""How often somebody may do something: counters of windows of time, in the shared cache."""

from __future__ import annotations

import time
from ipaddress import IPv6Address, ip_address
from typing import Any, Final

from django.core.cache import caches
from django.http import HttpRequest

SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
NETWORK_BITS: Final = 64
"""Of an IPv6 address: whoever has one has all of its network."""


def wait_for(rate: str | None, name: str, by: int = 1) -> float | None:
    """Count `by` more of what `name` does; None while it is within the rate.

    Beyond it, the seconds until it may go on, and nothing is counted. rate: `600/min`; None: no
    limit.
    """
    if rate is None:
        return None
    most, seconds = parsed(rate)
    window, past = divmod(time.time(), seconds)
    key = f"rate:{name}:{int(window)}"
    if _count(key, by, seconds) <= most:
        return None
    _count(key, -by, seconds)
    return seconds - past


def parsed(rate: str) -> tuple[int, int]:
    """How many, and in how many seconds."""
    count, _, unit = rate.partition("/")
    return int(count), SECONDS[unit[0]]


def address_of(request: HttpRequest) -> str:
    """What stands for the client's address: of IPv6 its network, which one client has whole."""
    text = str(request.META.get("REMOTE_ADDR", ""))
    try:
        address = ip_address(text)
    except ValueError:
        return text
    if not isinstance(address, IPv6Address):
        return text
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    bits = address.max_prefixlen - NETWORK_BITS
    return f"{IPv6Address(int(address) >> bits << bits)}/{NETWORK_BITS}"


def _count(key: str, by: int, seconds: int) -> int:
    shared: Any = caches["default"]
    return int(shared.count(key, by, seconds))
