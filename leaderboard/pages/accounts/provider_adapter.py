"""Our settings of django-allauth's behaviour for sign-ins through a provider."""

from __future__ import annotations

import logging
from typing import Any, NoReturn

from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.base.constants import AuthError
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from leaderboard.auth.signing_in import must_verify_email
from leaderboard.models import User
from leaderboard.pages.accounts.invitation import accept_for
from leaderboard.pages.accounts.openid import OpenIdProvider
from leaderboard.rules.json.untyped_dicts import FrameworkDict
from leaderboard.rules.texts.names import clean_name
from leaderboard.schemas.openid_providers import ProviderSetting

logger = logging.getLogger(__name__)


class ProviderAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Decides who may sign in through a provider, and to which account.

    A provider never signs a user in to an account that is not connected to it, even if the e-mail
    address is the same: the owner of the account has to sign in and connect it.
    """

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[SocialApp]:
        """The providers of the setting, which is the only place for them and their secrets."""
        apps = [_app(provider) for provider in settings.OPENID_CONNECT]
        return [
            app
            for app in apps
            if provider in (None, app.provider_id) and client_id in (None, app.client_id)
        ]

    def get_provider(
        self, request: HttpRequest, provider: str, client_id: str | None = None
    ) -> OpenIdProvider:
        """The provider of an id. Raises SocialApp.DoesNotExist."""
        return OpenIdProvider(request, app=self.get_app(request, provider, client_id))

    def can_authenticate_by_email(self, login: SocialLogin, email: str) -> bool:
        return False

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        sociallogin.token = None  # the person is known, so the session need not keep it

    def populate_user(
        self, request: HttpRequest, sociallogin: SocialLogin, data: FrameworkDict
    ) -> User:
        """Suggest a username only if it is valid and free."""
        user: User = super().populate_user(request, sociallogin, data)
        user.username = _usable(user.username)
        return user

    def is_auto_signup_allowed(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Whether no form is needed: the username is free, and an address is known if required."""
        has_address = bool(sociallogin.email_addresses)
        return bool(sociallogin.user.username) and (has_address or not must_verify_email())

    @transaction.atomic
    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        """Save the user, and use the invitation up in the same transaction."""
        sociallogin.user.is_self_named = True  # Providers let people choose what they are called.
        user: User = super().save_user(request, sociallogin, form)
        if form is None:  # with a form, AccountAdapter has already done it
            accept_for(request, user)
        return user

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: OpenIdProvider,
        error: str | None = None,
        exception: Exception | None = None,
        extra_context: Any = None,
    ) -> NoReturn:
        """Raise ImmediateHttpResponse with a page that explains the failure."""
        if error == AuthError.CANCELLED:
            messages.info(request, _("You have stopped signing in."))
            raise ImmediateHttpResponse(redirect("login"))
        raise ImmediateHttpResponse(failure(request, provider, exception))


def failure(
    request: HttpRequest, provider: OpenIdProvider, reason: Exception | None
) -> HttpResponse:
    """The page for a failed sign-in.

    reason: the provider's error, for the log; None if users can simply try again.
    """
    if reason is not None:
        logger.warning("signing in with %s failed: %s", provider.app.provider_id, reason)
    context = {"name": provider.name, "is_their_fault": reason is not None}
    status = 502 if reason else 400
    return render(request, "pages/accounts/provider_failed.html", context, status=status)


def _app(provider: ProviderSetting) -> SocialApp:
    return SocialApp(
        provider=OpenIdProvider.id,
        provider_id=provider.id,
        name=provider.name,
        client_id=provider.client_id,
        secret=provider.client_secret,
        settings={"server_url": provider.server_url},
    )


def _usable(username: str) -> str:
    """The username, normalised; "" if it is taken, not allowed, or reveals an address."""
    try:
        name = clean_name(username)
        get_account_adapter().clean_username(name)
    except (ValueError, ValidationError):
        return ""
    return "" if "@" in name else name
