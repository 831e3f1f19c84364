"""Values about the site that every page gets."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from django.http.request import split_domain_port
from django.utils.translation import gettext as _

from leaderboard.models import Tenant
from leaderboard.pages.labels.row_labels import duration
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.site.themes import theme_in
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.services.notices.reading import unread_count
from leaderboard.services.operations.site_look import site_look
from leaderboard.services.scoring.rate import Delay, scoring_delay

KEPT_SECONDS: Final = 60


def site(request: HttpRequest) -> PageContext:
    """Context processor: the name that the operator gave the site, and the notice for all pages.

    The name is not called `site_name`, because Django's sign-in view uses that for the host.
    """
    return {
        "site_title": settings.SITE_NAME,
        "site_look": site_look,
        "site_notice": site_notice,
        "site_providers": settings.OPENID_CONNECT,
        "site_sends_mail": settings.SENDS_MAIL,
        "theme": theme_in(request),
        "site_languages": settings.LANGUAGES if len(settings.LANGUAGES) > 1 else (),
        "site_makes_challenges": lambda: makes_challenges(request),
        "site_unread": lambda: unread_count(signed_in(request)),
        "site_has_passkeys": lambda: offers_passkeys(request),
    }


def makes_challenges(request: HttpRequest) -> bool:
    """Whether the reader organises a tenant, so that the header links the form; a minute old."""
    if not request.user.is_authenticated:
        return False
    key = f"makes-challenges:{request.user.pk}"
    organises: bool | None = cache.get(key)
    if organises is None:
        organises = Tenant.objects.organised_by(signed_in(request)).exists()
        cache.set(key, organises, KEPT_SECONDS)
    return organises


def offers_passkeys(request: HttpRequest) -> bool:
    """Whether browsers create passkeys for this address: a name, over https or on this machine."""
    host = split_domain_port(request.get_host())[0]
    is_local = host == "localhost" or host.endswith(".localhost")
    is_address = host.startswith("[") or host.replace(".", "").isdigit()
    return is_local or (request.is_secure() and not is_address)


def site_notice() -> str:
    """A sentence if scoring is delayed; computed only if a template shows it."""
    return notice_of(scoring_delay())


def notice_of(delay: Delay | None) -> str:
    """A delay in a sentence; "" is none."""
    if delay is None:
        return ""
    if not delay.works:
        return _(
            "Scoring is delayed: no worker is running. What you submit is kept until one does."
        )
    return _(
        "Scoring is delayed: attempts have waited for {duration}. What you submit is kept."
    ).format(duration=duration(delay.seconds))
