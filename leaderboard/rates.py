"""Limits how often a client may do something, by counters per window of time in the cache."""

from __future__ import annotations

import time
from ipaddress import IPv6Address, ip_address
from typing import Any, Final

from django.core.cache import caches
from django.http import HttpRequest

SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
NETWORK_BITS: Final = 64
"""The bits of an IPv6 address that identify a client, as one client usually has a /64 network."""


def wait_for(rate: str | None, name: str, by: int = 1) -> float | None:
    """Add `by` to the count of `name`; None while the count is within the rate.

    Beyond the rate, returns the seconds to wait, and counts nothing. rate: such as `600/min`; None:
    no limit.
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


def give_back(rate: str | None, name: str) -> None:
    """Take one off the count of `name`, which `wait_for` has added in this window."""
    if rate is None:
        return
    _most, seconds = parsed(rate)
    key = f"rate:{name}:{int(time.time() // seconds)}"
    if _count(key, -1, seconds) < 0:  # it was added in the window before
        _count(key, 1, seconds)


def times(rate: str | None, factor: int) -> str | None:
    """A rate that allows so many times as much."""
    if rate is None:
        return None
    count, slash, unit = rate.partition("/")
    return f"{int(count) * factor}{slash}{unit}"


def parsed(rate: str) -> tuple[int, int]:
    """The number of times, and the window in seconds, of a rate such as `600/min`."""
    count, _, unit = rate.partition("/")
    return int(count), SECONDS[unit[0]]


def address_of(request: HttpRequest) -> str:
    """The text that identifies a client: its IPv4 address, or the /64 network of an IPv6 one."""
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
