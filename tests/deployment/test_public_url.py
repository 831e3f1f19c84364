"""The public URL is one setting, from which others follow."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import path as route

from leaderboard import urls
from leaderboard.checks import addresses_agree, public_url_is_set
from leaderboard.models import Challenge, Tenant
from leaderboard.monitoring.metrics import metrics
from leaderboard.services.challenges.challenges import create_challenge
from tests.people import organiser_of, signed_in, tenant

__all__ = ["tenant"]

ROOT = Path(__file__).parents[2]
SHOWN = (
    "ALLOWED_HOSTS",
    "CSRF_TRUSTED_ORIGINS",
    "SESSION_COOKIE_SECURE",
    "CSRF_COOKIE_SECURE",
    "SECURE_SSL_REDIRECT",
    "SECURE_SSL_HOST",
    "SECURE_HSTS_SECONDS",
    "FORCE_SCRIPT_NAME",
    "SESSION_COOKIE_PATH",
    "CSRF_COOKIE_PATH",
    "SECURE_REDIRECT_EXEMPT",
)
SHOW = (
    "import json; from django.conf import settings;"
    f"print(json.dumps([getattr(settings, name) for name in {SHOWN!r}]))"
)
LOCAL = ["localhost", "127.0.0.1", "[::1]"]


def followed(folder: Path, **variables: str) -> dict[str, Any]:
    """Return the settings that follow from variables, read in a separate process."""
    environment = {"DJANGO_SETTINGS_MODULE": "leaderboard.settings", "DATA_DIR": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", SHOW],
        cwd=ROOT,
        env=environment | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip(SHOWN, json.loads(done.stdout), strict=True))


def test_other_settings_follow_from_the_public_url(tmp_path: Path) -> None:
    settings = followed(tmp_path, PUBLIC_URL="https://board.example.org")
    assert settings["ALLOWED_HOSTS"] == [*LOCAL, "board.example.org"]
    assert settings["CSRF_TRUSTED_ORIGINS"] == ["https://board.example.org"]
    assert settings["SECURE_SSL_HOST"] == "board.example.org"
    assert settings["SECURE_HSTS_SECONDS"] == 30 * 24 * 3600
    assert settings["SESSION_COOKIE_SECURE"] is settings["CSRF_COOKIE_SECURE"] is True
    assert settings["SECURE_SSL_REDIRECT"] is True


def test_a_public_url_without_tls_has_no_secure_cookies(tmp_path: Path) -> None:
    settings = followed(
        tmp_path, PUBLIC_URL="http://[::1]:8000", CSRF_TRUSTED_ORIGINS="https://b.org"
    )
    assert settings["ALLOWED_HOSTS"] == [*LOCAL, "[::1]"]
    assert settings["CSRF_TRUSTED_ORIGINS"] == ["https://b.org", "http://[::1]:8000"]
    assert not any(settings[name] for name in SHOWN[2:7])


def test_the_path_of_the_public_url_applies_to_all_urls(tmp_path: Path) -> None:
    settings = followed(tmp_path, PUBLIC_URL="https://example.org/podium")
    assert settings["ALLOWED_HOSTS"] == [*LOCAL, "example.org"]
    assert settings["CSRF_TRUSTED_ORIGINS"] == ["https://example.org"]
    assert settings["SECURE_SSL_HOST"] == "example.org"
    assert settings["FORCE_SCRIPT_NAME"] == "/podium"
    assert settings["SESSION_COOKIE_PATH"] == settings["CSRF_COOKIE_PATH"] == "/podium"
    assert settings["SECURE_REDIRECT_EXEMPT"][0] == "^podium/healthz$"
    without = followed(tmp_path, PUBLIC_URL="https://example.org")
    assert without["FORCE_SCRIPT_NAME"] is None
    assert without["SESSION_COOKIE_PATH"] == "/"
    assert without["SECURE_REDIRECT_EXEMPT"] == [
        "^healthz$",
        "^readyz$",
        "^status\\.json$",
        "^metrics$",
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/status.json", "/metrics"])
def test_programs_on_the_machine_ask_without_tls(
    settings: Any, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Prometheus asks 127.0.0.1, because the reverse proxy hides `/metrics`."""
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_SSL_HOST = "board.example.org"
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.TRUSTED_PROXIES = 1
    settings.PROMETHEUS_TOKEN = "right"
    monkeypatch.setattr(urls, "urlpatterns", [*urls.urlpatterns, route("metrics", metrics)])
    settings.ROOT_URLCONF = type("conf", (), {"urlpatterns": urls.urlpatterns})
    client = Client(headers={"Host": "127.0.0.1", "Authorization": "Bearer right"})
    assert client.get(path).status_code == 200
    moved = client.get("/sign-in/")
    assert (moved.status_code, moved["Location"]) == (301, "https://board.example.org/sign-in/")


def test_given_host_names_are_kept(tmp_path: Path) -> None:
    settings = followed(tmp_path, PUBLIC_URL="https://b.org", ALLOWED_HOSTS="web.internal")
    assert settings["ALLOWED_HOSTS"] == ["web.internal", "b.org"]


def test_the_older_settings_work_without_the_public_url(tmp_path: Path) -> None:
    settings = followed(tmp_path, CSRF_TRUSTED_ORIGINS="https://b.org", ALLOWED_HOSTS="b.org")
    assert settings["ALLOWED_HOSTS"] == ["b.org"]
    assert settings["SESSION_COOKIE_SECURE"] is True
    assert settings["SECURE_SSL_HOST"] is None


def test_contradictions_are_reported(settings: Any) -> None:
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({}, []),
        ({"PUBLIC_URL": ""}, []),
        ({"PUBLIC_URL": "http://localhost:8000", "TRUSTED_PROXIES": 0}, []),
        ({"TRUSTED_PROXIES": 0}, ["podium.W001"]),
        ({"PUBLIC_URL": "http://board.example.org"}, ["podium.W002"]),
        (
            {"PUBLIC_URL": "http://[::1]", "CSRF_TRUSTED_ORIGINS": ["https://b.org"]},
            ["podium.W003"],
        ),
        ({"ALLOWED_HOSTS": ["*"]}, ["podium.W004"]),
        ({"DEBUG": True}, ["podium.W005"]),
        ({"CSRF_TRUSTED_ORIGINS": ["http://board.example.org"]}, ["podium.W006"]),
        ({"CSRF_TRUSTED_ORIGINS": ["https://b.org", "http://localhost:8000"]}, []),
    ]
    for changed, ids in cases:
        agreeing = {
            "PUBLIC_URL": "https://board.example.org",
            "TRUSTED_PROXIES": 1,
            "ALLOWED_HOSTS": ["board.example.org"],
            "CSRF_TRUSTED_ORIGINS": [],
            "DEBUG": False,
        }
        for name, value in (agreeing | changed).items():
            setattr(settings, name, value)
        assert [warning.id for warning in addresses_agree()] == ids, changed
        assert bool(public_url_is_set()) == (settings.PUBLIC_URL == ""), changed


@pytest.fixture
def challenge(tenant: Tenant) -> Challenge:
    fields = {"name": "Sprint", "slug": "sprint", "scoring_strategy": "fastest"}
    return create_challenge(tenant=tenant, user=organiser_of(tenant, "ann"), fields=fields)


@pytest.mark.django_db
def test_links_have_the_public_url(settings: Any, challenge: Challenge) -> None:
    settings.PUBLIC_URL = "https://board.example.org"
    ann = signed_in(challenge.tenant.memberships.get().user)
    for path in ("/c/sprint/", "/c/sprint/submit/"):
        page = ann.get(path).content.decode()
        assert "https://board.example.org/api/v1/challenges/sprint/attempts/" in page
        assert "http://testserver" not in page


@pytest.mark.django_db
def test_the_link_to_the_next_page_has_the_public_url(
    settings: Any, challenge: Challenge, client: Client
) -> None:
    settings.PUBLIC_URL = "https://board.example.org"
    for name in ("Relay", "Steeple"):
        user = challenge.tenant.memberships.get().user
        fields = {"name": name, "scoring_strategy": "fastest"}
        create_challenge(tenant=challenge.tenant, user=user, fields=fields)
    link = client.get("/api/v1/challenges/?limit=1&state=active")["Link"]
    assert link.startswith("<https://board.example.org/api/v1/challenges/?")
    assert "state=active" in link


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/c/keys/", "/c/keys/rules/", "/no-such-page/"])
def test_pages_that_depend_on_the_reader_are_not_shared(tenant: Tenant, path: str) -> None:
    alice = organiser_of(tenant, "alice")
    fields = {"name": "Keys", "scoring_strategy": "fastest", "visibility": "private"}
    create_challenge(tenant=tenant, user=alice, fields=fields)
    response = signed_in(alice).get(path)
    assert "Cookie" in response["Vary"]
    assert response["Cache-Control"] == "private, no-cache"


@pytest.mark.django_db
def test_headers_disable_unused_browser_features(client: Client) -> None:
    cases: list[str] = [
        "/",
        "/sign-in/",
        "/api/v1/challenges/",
        "/healthz",
        "/static/pages/pages.css",
        "/nowhere",
    ]
    for path in cases:
        response = client.get(path)
        assert "camera=()" in response["Permissions-Policy"], path
        assert response["Cross-Origin-Resource-Policy"] == "same-origin", path


@pytest.mark.django_db
def test_every_kind_of_answer_may_not_be_framed(settings: Any) -> None:
    cases: list[tuple[str, int, dict[str, str]]] = [
        ("/static/pages/pages.css", 200, {"X-Forwarded-Proto": "https"}),
        ("/static/pages/missing.css", 404, {"X-Forwarded-Proto": "https"}),
        ("/c/one/", 301, {"X-Forwarded-Proto": "http"}),
        ("/about", 301, {"X-Forwarded-Proto": "https"}),
        ("/healthz", 200, {}),
        ("/sign-in/", 400, {"Host": "elsewhere.example", "X-Forwarded-Proto": "https"}),
    ]
    for path, status, headers in cases:
        settings.SECURE_SSL_REDIRECT = True
        settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
        answer = Client(raise_request_exception=False).get(path, headers=headers)
        assert answer.status_code == status, path
        assert "frame-ancestors 'none'" in answer["Content-Security-Policy"], path
        assert answer["X-Frame-Options"] == "DENY", path
        assert answer["X-Content-Type-Options"] == "nosniff", path
        answer.close()
