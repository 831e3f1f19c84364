"""Our settings of django-allauth's behaviour for accounts."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from leaderboard.auth.signing_in import sign_in
from leaderboard.http.links import absolute
from leaderboard.languages.translation import translated
from leaderboard.messages.mail import send_soon
from leaderboard.models import User
from leaderboard.models.user import check_looks_like_no_other
from leaderboard.pages.accounts.invitation import accept_for, invitation_of
from leaderboard.rules.json.untyped_dicts import FrameworkDict
from leaderboard.rules.texts.names import clean_name


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Decides who may sign up, which names are allowed, and how mail is sent."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return settings.SIGN_UP == "open" or invitation_of(request) is not None

    @transaction.atomic
    def save_user(self, request: HttpRequest, user: Any, form: Any, commit: bool = True) -> User:
        """Save the user and use the invitation up in one transaction."""
        user.language = get_language() or ""
        user.is_self_named = True
        saved: User = super().save_user(request, user, form, commit)
        accept_for(request, saved)
        return saved

    def pre_login(self, request: HttpRequest, user: Any, **login: Any) -> HttpResponse | None:
        """Sign users of a provider in through `sign_in`, like all others."""
        refused: HttpResponse | None = super().pre_login(request, user, **login)
        if refused is None and "sociallogin" in (login["signal_kwargs"] or {}):
            to = login["redirect_url"] or resolve_url("account")
            return sign_in(request, user, method="provider", to=to)
        return refused

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Normalise the name's Unicode; refuse addresses, and names that look like another one.

        Organisers know people by their names and addresses: a stranger could pass for them.
        """
        try:
            username = clean_name(username)
        except ValueError as error:
            raise ValidationError(translated(error.args[0])) from None
        if "@" in username:
            raise ValidationError(_("must not be an e-mail address, and hold no @"))
        cleaned: str = super().clean_username(username, shallow)
        if not shallow:
            try:
                check_looks_like_no_other(cleaned)
            except ValidationError as error:  # of the field whose value this is
                raise ValidationError(error.messages) from None
        return cleaned

    def get_client_ip(self, request: HttpRequest) -> str:
        """The address from ClientAddressMiddleware; none on a socket without a trusted proxy."""
        return request.META.get("REMOTE_ADDR") or "0.0.0.0"  # noqa: S104 - not an address to bind

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        return absolute(request, reverse("account_confirm_email", args=[emailconfirmation.key]))

    def send_mail(self, template_prefix: str, email: str, context: FrameworkDict) -> None:
        given = {"request": self.request, "email": email, "site_title": settings.SITE_NAME}
        message: EmailMessage = self.render_mail(template_prefix, email, given | context)
        send_soon(message)
