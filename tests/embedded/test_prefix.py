"""The whole product below a path of a host that serves other things as well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.embedded.crawler import Crawler
from tests.embedded.server import Embedded
from tests.servers import free_port

DASH = {"name": "Dash", "slug": "dash", "scoring_strategy": "fastest"}


def is_not_sent_again(crawler: Crawler, address: str) -> bool:
    """Whether a page that is asked with its own ETag is answered by 304."""
    etag = crawler.ask(address).headers["ETag"]
    return crawler.ask(address, None, {"If-None-Match": etag}).status == 304


@pytest.mark.embedded
def test_no_link_leads_out_of_the_path(tmp_path: Path) -> None:
    port = free_port()
    root = f"http://127.0.0.1:{port}/podium"
    embedded = Embedded(tmp_path, PUBLIC_URL=root)
    with embedded.up(port=port) as (_, site):
        anyone = Crawler(root)
        anyone.crawl(root)
        password = Path(tmp_path, "var", "admin-password").read_text().strip()
        admin = Crawler(root)
        assert admin.sign_in("admin", password).url == f"{root}/account/"
        admin.crawl(f"{root}/")
        for crawler in (anyone, admin):
            assert crawler.links_out == []
            refused = {
                url: answer.status
                for url, answer in crawler.answers.items()
                if answer.status >= 400
            }
            assert set(refused.values()) <= {405}, refused
            assert {cookie.path for cookie in crawler.cookies} == {"/podium"}
        assert f"{root}/api/docs/" in anyone.answers
        assert f"{root}/admin/" in admin.answers

        styles = [answer for url, answer in anyone.answers.items() if url.endswith(".css")]
        assert styles
        assert all("immutable" in style.headers["Cache-Control"] for style in styles)
        token = embedded.organiser(site).token
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        made = Crawler(root).ask(f"{root}/api/v1/challenges/", json.dumps(DASH).encode(), headers)
        assert made.headers["Location"] == "/podium/api/v1/challenges/dash/"
        assert json.loads(made.text)["html_url"] == "/podium/c/dash/"
        dash = f"{root}/c/dash/"
        # A notice of the site may change once, between the two requests.
        assert is_not_sent_again(anyone, dash) or is_not_sent_again(anyone, dash)
        assert "/podium" in anyone.ask(f"{root}/api/schema/").text
        # A proxy may remove the path, and health checks on this machine need not know it.
        assert "/podium/c/dash/" in anyone.ask(f"http://127.0.0.1:{port}/?search=").text
        assert anyone.ask(f"http://127.0.0.1:{port}/healthz").status == 200
        assert site.port == port
