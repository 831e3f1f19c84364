"""Which addresses of the internet are public: a server must not be talked into calling others.

The ranges are those of the IANA registries of special-purpose addresses. `ipaddress.is_global`
alone differs between versions of Python, and takes multicast and translated addresses for global.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, NamedTuple

Network = IPv4Network | IPv6Network
HOST_NAME: Final = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")

SPECIAL: Final[tuple[Network, ...]] = tuple(
    ip_network(text)
    for text in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
        *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24"),
        *("192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15"),
        *("198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
        *("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"),
    )
)
GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
"""All other addresses of IPv6 are local, mapped, translated, reserved or for groups."""


class AllowedTargets(NamedTuple):
    """What an operator allows beside public addresses: networks, and names of hosts."""

    networks: tuple[Network, ...]
    hosts: frozenset[str]


def allowed_targets(text: str) -> AllowedTargets:
    """Targets with commas between them, such as `10.0.0.0/8,chat.example.org`.

    Raises ValueError.
    """
    networks, hosts = [], set()
    for item in filter(None, map(str.strip, text.split(","))):
        if HOST_NAME.fullmatch(item):
            hosts.add(item.lower())
        else:
            networks.append(ip_network(item))
    return AllowedTargets(tuple(networks), frozenset(hosts))


def is_public(text: str) -> bool:
    """Whether an address is one of a single host in the internet."""
    address = _address(text)
    if address is None or (isinstance(address, IPv6Address) and address not in GLOBAL_UNICAST):
        return False
    return address.is_global and not any(address in network for network in SPECIAL)


def is_in(text: str, networks: tuple[Network, ...]) -> bool:
    """Whether an address belongs to one of some networks."""
    address = _address(text)
    return address is not None and any(address in network for network in networks)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None
