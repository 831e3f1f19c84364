"""The one function that signs users in: after a password, a link or an OpenID Connect provider.

`sign_in` asks for the second factor and for a verified address if they are required. Django's own
`login` asks for neither, so no other code calls it.
"""

from __future__ import annotations

from typing import Any

from allauth.account.app_settings import EmailVerificationMethod
from allauth.account.internal.flows.login import perform_login, record_authentication
from allauth.account.models import EmailAddress, Login
from django.conf import settings
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language

from leaderboard.models.user import User


class SignInView(views.LoginView):
    """The sign-in form by name and password, for the pages and the admin."""

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user: Any = form.get_user()
        return sign_in(self.request, user, method="password", to=self.get_success_url())


def sign_in(request: HttpRequest, user: User, *, method: str, to: str) -> HttpResponse:
    """Sign the user in and redirect to `to`, or first to a page that asks for a further proof.

    method: how the user has authenticated so far, such as `password`. Users with a second factor
    are asked for it as well.
    """
    keep_language(user, get_language() or "")
    record_authentication(request, user, method, username=user.username)
    login = Login(user=user, email_verification=_verification(user), redirect_url=to)
    response: HttpResponse = perform_login(request, login)
    return response


def keep_language(user: User, language: str) -> None:
    """Keep the language that a user reads, for mail to them."""
    if user.language != language:
        user.language = language
        user.save(update_fields=["language"])


def must_verify_email() -> bool:
    """Whether a new account needs a verified address: if SIGN_UP is `open`.

    A server that sends no mail cannot verify addresses.
    """
    return bool(settings.SIGN_UP == "open" and settings.SENDS_MAIL)


def _verification(user: User) -> EmailVerificationMethod:
    """Mandatory for users who signed up and have never signed in; optional for all others."""
    if not must_verify_email() or user.last_login is not None:
        return EmailVerificationMethod.OPTIONAL
    addresses = set(EmailAddress.objects.filter(user=user).values_list("verified", flat=True))
    if addresses == {False}:
        return EmailVerificationMethod.MANDATORY
    return EmailVerificationMethod.OPTIONAL
