"""Static files, which browsers cache for a year, and compressed answers."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.test import Client, RequestFactory

from leaderboard.http import static_files
from leaderboard.http.static_files import HashedNames, StaticFilesMiddleware

pytestmark = pytest.mark.once

GZIP = {"Accept-Encoding": "gzip"}


@pytest.mark.django_db
def test_pages_link_files_by_their_hash(client: Client) -> None:
    page = client.get("/sign-in/").content.decode()
    [style] = re.findall(r'href="(/static/pages/pages\.[0-9a-f]{12}\.css)"', page)
    answer = client.get(style)
    assert answer["Cache-Control"] == "max-age=31536000, public, immutable"
    assert answer["Content-Type"].startswith("text/css")
    assert b"".join(answer) == Path(django_settings.BASE_DIR, "static/pages/pages.css").read_bytes()


@pytest.mark.django_db
def test_a_plain_name_is_cached_briefly(client: Client) -> None:
    answer = client.get("/static/pages/pages.css")
    assert answer.status_code == 200
    assert "immutable" not in answer["Cache-Control"]
    answer.close()


@pytest.mark.django_db
def test_the_hash_of_another_version_is_served_and_not_cached(client: Client) -> None:
    answer = client.get("/static/pages/pages.0123456789ab.css")
    assert answer.status_code == 200
    assert "immutable" not in answer["Cache-Control"]
    answer.close()


@pytest.mark.django_db
def test_a_missing_file_is_not_found(client: Client) -> None:
    cases: list[str] = [
        "/static/pages/missing.0123456789ab.css",
        "/static/pages/pages.0123456789ab.js.css",
        "/static/../manage.0123456789ab.py",
        "/static/%2e%2e/manage.0123456789ab.py",
    ]
    for path in cases:
        assert client.get(path).status_code == 404, path


@pytest.mark.django_db
def test_hashed_files_are_served_as_in_production(settings: Any) -> None:
    """Tests look for each file at each request; the product lists them once."""
    settings.WHITENOISE_AUTOREFRESH = False
    middleware = StaticFilesMiddleware(lambda request: None)
    answer = middleware(RequestFactory().get(staticfiles_storage.url("admin/css/base.css")))
    assert answer is not None
    assert answer["Cache-Control"] == static_files.FOR_A_YEAR
    answer.close()


def test_other_content_has_another_name(settings: Any, tmp_path: Path) -> None:
    settings.STATICFILES_DIRS = [tmp_path]
    settings.DEBUG = True
    names = set()
    for content in ("one", "two"):
        (tmp_path / "changing.css").write_text(content)
        names.add(HashedNames().url("changing.css"))
    assert len(names) == 2


@pytest.mark.django_db
def test_answers_are_compressed_if_the_client_accepts_it(client: Client) -> None:
    plain, packed = client.get("/sign-in/"), client.get("/sign-in/", headers=GZIP)
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"]
    assert len(packed.content) < len(plain.content) / 2
    assert b"<!doctype html>" in gzip.decompress(packed.content)
    style = client.get("/static/pages/pages.css", headers=GZIP)
    assert style["Content-Encoding"] == "gzip"
    assert b"{" in gzip.decompress(b"".join(style))


@pytest.mark.django_db
def test_a_part_of_a_file_is_not_compressed(client: Client) -> None:
    answer = client.get("/static/pages/pages.css", headers={**GZIP, "Range": "bytes=0-999"})
    assert answer.status_code == 206
    assert "Content-Encoding" not in answer
    assert len(b"".join(answer)) == 1000
