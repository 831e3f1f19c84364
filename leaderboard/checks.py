"""Checks of the settings, which run before the product starts."""

import os
from collections.abc import Sequence
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error, register
from django.db import DatabaseError

from leaderboard.environment.reading import DROPPED


def check_deployment() -> list[Error]:
    """The errors of all checks, for a server that no Django command starts."""
    return [*one_web_process(), *static_files_collected(), *_errors_of_owners()]


def _errors_of_owners() -> list[Error]:
    owner_messages = [*owned_plugins_are_known(), *owners_of_plugins_exist()]
    return [owner_message for owner_message in owner_messages if isinstance(owner_message, Error)]


@register("podium")
def one_web_process(app_configs: Sequence[AppConfig] | None = None, **kwargs: Any) -> list[Error]:
    if settings.REDIS_URL or settings.WEB_CONCURRENCY == 1:
        return []
    return [
        Error(
            f"REDIS_URL is empty and WEB_CONCURRENCY={settings.WEB_CONCURRENCY}:"
            " the broker in memory serves one web process only.",
            hint="Set REDIS_URL, or WEB_CONCURRENCY=1.",
            id="podium.E001",
        )
    ]


@register("podium", deploy=True)
def static_files_collected(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[Error]:
    if not settings.STATIC_ROOT or Path(settings.STATIC_ROOT, "staticfiles.json").is_file():
        return []
    return [
        Error(
            f"STATIC_ROOT={str(settings.STATIC_ROOT)!r} holds no collected static files.",
            hint="Run `manage.py collectstatic`, or leave STATIC_ROOT empty.",
            id="podium.E002",
        )
    ]


@register("podium")
def plugin_folder_is_ours(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Warn if another installed package also has files in the folder `scorers`.

    In a checkout the folder is beside `manage.py`, where no package is installed.
    """
    if not settings.IS_INSTALLED:
        return []
    foreign_packages = sorted({*packages_distributions().get("scorers", [])} - {"podium"})
    return [
        checks.Warning(
            f"{name} installs a package named scorers too: one has overwritten files of the other.",
            hint="Install Podium into an environment of its own.",
            id="podium.W011",
        )
        for name in foreign_packages
    ]


@register("podium")
def packages_of_tenants_differ(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Warn if folders of different tenants have plugins of the same name."""
    from leaderboard.services.plugins.tenants import hidden_packages  # needs the models

    return [
        checks.Warning(
            f"{first} and {folder} belong to different tenants, and both have a package {name}."
            f" Podium uses the one in {first}, and never the one in {folder}.",
            hint="Rename one of them.",
            id="podium.W012",
        )
        for name, first, folder in hidden_packages()
    ]


@register("podium")
def owned_plugins_are_known(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse a misspelt package in SCORER_TENANTS: the real one would be open to all tenants."""
    if not settings.SCORER_TENANTS:
        return []
    from leaderboard.services.plugins.tenants import known_packages, unknown_packages

    return [
        Error(
            f"SCORER_TENANTS names the package {name}, which is unknown."
            f" Known packages: {', '.join(known_packages()) or 'none'}.",
            hint="Name a package of SCORER_PACKAGES or an installed one, or a folder of"
            " SCORER_PATH by its path.",
            id="podium.E003",
        )
        for name in unknown_packages()
    ]


@register("podium")
def owners_of_plugins_exist(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse a misspelt tenant in SCORER_TENANTS, who could never use the plugin.

    Before the first tenant exists, and while the database cannot be asked, nothing is known.
    """
    if not settings.SCORER_TENANTS:
        return []
    from leaderboard.services.plugins.tenants import unknown_owners

    try:
        unknown, slugs = unknown_owners()
    except DatabaseError:
        return []
    return [
        Error(
            f"SCORER_TENANTS names the tenant {slug}, which does not exist."
            f" Tenants: {', '.join(slugs)}.",
            hint="Correct the name; or make the tenant first, and name it then.",
            id="podium.E004",
        )
        for slug in unknown
    ]


@register("podium")
def dropped_settings_are_not_set(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    return [
        checks.Warning(f"{name} is no setting any more.", hint=instead, id="podium.W013")
        for name, instead in DROPPED.items()
        if os.environ.get(name)
    ]


LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Contradiction(NamedTuple):
    """Settings that may contradict each other. is_found: whether they do."""

    is_found: bool
    problem: str
    hint: str


@register("podium")
def addresses_agree(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Warn if PUBLIC_URL and the settings that depend on it contradict each other."""
    warnings = [
        checks.Warning(contradiction.problem, hint=contradiction.hint, id=f"podium.W{number:03}")
        for number, contradiction in enumerate(_contradictions(), start=1)
        if contradiction.is_found
    ]
    return list(warnings)


@register("podium", deploy=True)
def public_url_is_set(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    if settings.PUBLIC_URL:
        return []
    return [
        checks.Warning(
            "PUBLIC_URL is empty: links name whatever host a client asked for.",
            hint="Set PUBLIC_URL to the address that people open.",
            id="podium.W010",
        )
    ]


def _contradictions() -> list[Contradiction]:
    """All possible contradictions. The order gives the numbers of the warnings, so append new ones
    at the end.
    """
    return [*_of_encryption(), *_of_openness(), *_of_insecure_origins()]


def _of_encryption() -> list[Contradiction]:
    """The scheme of PUBLIC_URL says whether readers are redirected and cookies are secure."""
    url = settings.PUBLIC_URL
    secure = [
        csrf_trusted_origin
        for csrf_trusted_origin in settings.CSRF_TRUSTED_ORIGINS
        if csrf_trusted_origin.startswith("https://")
    ]
    return [
        Contradiction(
            url.startswith("https://") and not settings.TRUSTED_PROXIES,
            f"PUBLIC_URL={url!r} and TRUSTED_PROXIES=0: each request looks like http to the"
            " product behind a proxy, and is redirected to https for ever.",
            "Set TRUSTED_PROXIES to the number of proxies in front.",
        ),
        Contradiction(
            url.startswith("http://") and not _is_loopback(url),
            f"PUBLIC_URL={url!r}: passwords and tokens travel unencrypted.",
            "Put a proxy with TLS in front and begin PUBLIC_URL with https.",
        ),
        Contradiction(
            url.startswith("http://") and bool(secure),
            f"PUBLIC_URL={url!r} and CSRF_TRUSTED_ORIGINS has {', '.join(secure)}:"
            " cookies are not secure, as PUBLIC_URL decides.",
            "Begin PUBLIC_URL with https, or leave that origin out.",
        ),
    ]


def _of_openness() -> list[Contradiction]:
    """A server with a public address should answer to it alone, and show nothing internal."""
    url = settings.PUBLIC_URL
    return [
        Contradiction(
            bool(url) and "*" in settings.ALLOWED_HOSTS,
            f"PUBLIC_URL={url!r} and ALLOWED_HOSTS has *: any host name is accepted.",
            "Leave ALLOWED_HOSTS empty: the host of PUBLIC_URL is always allowed.",
        ),
        Contradiction(
            bool(url) and not _is_loopback(url) and settings.DEBUG,
            f"PUBLIC_URL={url!r} and DEBUG=on: others see source code and settings.",
            "Set DEBUG=off.",
        ),
    ]


def _of_insecure_origins() -> list[Contradiction]:
    """A server with TLS should not trust forms of pages without it."""
    url = settings.PUBLIC_URL
    insecure = [
        csrf_trusted_origin
        for csrf_trusted_origin in settings.CSRF_TRUSTED_ORIGINS
        if csrf_trusted_origin.startswith("http://") and not _is_loopback(csrf_trusted_origin)
    ]
    return [
        Contradiction(
            url.startswith("https://") and bool(insecure),
            f"PUBLIC_URL={url!r} and CSRF_TRUSTED_ORIGINS has {', '.join(insecure)}:"
            " an attacker who changes an unencrypted page of that origin can submit forms"
            " in the name of a reader who has signed in.",
            "Leave that origin out: the one of PUBLIC_URL is always trusted.",
        ),
    ]


def _is_loopback(url: str) -> bool:
    return urlsplit(url).hostname in LOOPBACK
