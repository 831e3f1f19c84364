"""The embedded server behind a reverse proxy, which forwards the client's address and scheme."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.embedded.server import Embedded
from tests.processes import Site

pytestmark = [pytest.mark.embedded, pytest.mark.once]


def forwarded(site: Site, address: str, scheme: str = "https") -> int:
    """The status of a page for a client of the proxy."""
    site.headers = {
        "Host": "board.example.org",
        "X-Forwarded-For": f"192.0.2.99, {address}",
        "X-Forwarded-Proto": scheme,
    }
    return site.ask("GET", "/about/").status


def test_a_trusted_proxy_tells_the_scheme_and_the_address(tmp_path: Path) -> None:
    url = "https://board.example.org"
    server = Embedded(tmp_path, TRUSTED_PROXIES="1", PUBLIC_URL=url, THROTTLE_PAGES="3/min")
    with server.up("--no-demo") as (_, site):
        assert forwarded(site, "198.51.100.1", "http") == 301
        assert [forwarded(site, "198.51.100.2") for _ in range(4)] == [200, 200, 200, 429]
        assert forwarded(site, "203.0.113.3") == 200


def test_without_a_trusted_proxy_nobody_tells_them(tmp_path: Path) -> None:
    server = Embedded(tmp_path, ALLOWED_HOSTS="board.example.org", THROTTLE_PAGES="3/min")
    with server.up("--no-demo") as (_, site):
        statuses = [forwarded(site, f"198.51.100.{number}") for number in range(4)]
        assert statuses == [200, 200, 200, 429]
