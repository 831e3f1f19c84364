"""`/sign-in/with/ID/`: to an OpenID Connect provider and back."""

from __future__ import annotations

import logging

from allauth.account.utils import get_next_redirect_url
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.base.constants import AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.contrib.auth.decorators import login_required
from django.db import IntegrityError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from leaderboard.pages.accounts.openid import OpenIdAdapter, OpenIdProvider
from leaderboard.pages.accounts.provider_adapter import ProviderAdapter, failure

logger = logging.getLogger(__name__)


@never_cache
@require_POST
def to_provider(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Show a page that redirects to the provider, to sign in or to sign up."""
    return _leave(request, provider_id, AuthProcess.LOGIN, get_next_redirect_url(request))


@login_required
@never_cache
@require_POST
def connect_page(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Show a page that redirects to the provider, to connect the signed-in user's account."""
    connected = resolve_url("socialaccount_connections")
    return _leave(request, provider_id, AuthProcess.CONNECT, connected)


@never_cache
@require_GET
def from_provider(request: HttpRequest, provider_id: str) -> HttpResponse:
    """The redirect address: the provider sends users back here with a code."""
    provider = _provider(request, provider_id)
    view = OAuth2CallbackView.adapter_view(OpenIdAdapter(request, provider_id))
    try:
        response: HttpResponse = view(request)
    except OAuth2Error as error:
        return failure(request, provider, error)
    except IntegrityError:  # another request has just created this person or this username
        return failure(request, provider, None)
    return response


def _provider(request: HttpRequest, provider_id: str) -> OpenIdProvider:
    try:
        return ProviderAdapter(request).get_provider(request, provider_id)
    except SocialApp.DoesNotExist:
        raise Http404("There is no such provider.") from None


def _leave(
    request: HttpRequest, provider_id: str, process: str, next_url: str | None
) -> HttpResponse:
    """A page that redirects to the provider by itself.

    This is no HTTP redirect, because browsers apply `form-action` of our Content Security Policy to
    each redirect after a form, including those of the provider.
    """
    provider = _provider(request, provider_id)
    try:
        answer: HttpResponse = provider.redirect(request, process, next_url)
    except OAuth2Error as error:
        return failure(request, provider, error)
    if answer.status_code != 302:
        return answer
    context = {"name": provider.name, "address": answer.headers["Location"]}
    return render(request, "pages/accounts/to_provider.html", context)
