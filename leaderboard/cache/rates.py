"""Limits how often a client may do something, by counters per window of time in the cache."""

from __future__ import annotations

import time
from ipaddress import IPv6Address, ip_address
from math import ceil
from typing import Any, Final

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest

SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
MS_OF_REQUEST: Final = 25
"""The processor time that a rate allows for each of its requests."""
COUNTED_MS: Final = 50
"""The processor time of a request from which on it is counted: ordinary pages take less."""
LEAST_MS: Final = 10_000
"""The processor time that every rate allows for: a few requests may be the first of a process."""
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


def wait_for_body(request: HttpRequest, who: str) -> float | None:
    """Count the bytes of a request's body; the seconds to wait if somebody sent too many lately.

    The rate is the setting THROTTLE_MIB, in MiB.
    """
    declared = str(request.META.get("CONTENT_LENGTH", ""))
    kib = int(declared) // 1024 if declared.isdecimal() else 0
    if settings.THROTTLE_MIB is None or not kib:
        return None
    most, _, unit = settings.THROTTLE_MIB.partition("/")
    return wait_for(f"{int(most) * 1024}/{unit}", f"body:{who}", kib)


def counted_wait(request: HttpRequest, rate: str | None, name: str) -> float | None:
    """As `wait_for`; what the request costs will be counted for the same limit, see `add_cost`."""
    counts: Any = request
    counts.counted_for = [*counted_for(request), (rate, name)]
    return wait_for(rate, name)


def counted_for(request: HttpRequest) -> list[tuple[str | None, str]]:
    """The limits that a request was counted for: their rates and names."""
    return getattr(request, "counted_for", [])


def add_cost(rate: str | None, name: str, milliseconds: float) -> None:
    """Count the processor time of a request; too much of it exhausts the limit of the window.

    A rate of n stands for n requests of MS_OF_REQUEST. Cheaper ones are limited by their number.
    """
    if rate is None or milliseconds < COUNTED_MS:
        return
    most, seconds = parsed(rate)
    window = int(time.time() // seconds)
    spent = _count(f"cost:{name}:{window}", ceil(milliseconds), seconds)
    if spent > max(most * MS_OF_REQUEST, LEAST_MS):
        _count(f"rate:{name}:{window}", most, seconds)


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
