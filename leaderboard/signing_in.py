"""How a user is signed in, whichever door they come through.

Every door ends in `sign_in`, which asks for the second factor and for a verified address where
they are needed. Django's own `login` skips both, so nothing else calls it.
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

from leaderboard.models.user import User


class SignInView(views.LoginView):
    """A sign-in form by name and password: of the pages and of the admin."""

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user: Any = form.get_user()
        return sign_in(self.request, user, method="password", to=self.get_success_url())


def sign_in(request: HttpRequest, user: User, *, method: str, to: str) -> HttpResponse:
    """Redirects to `to`, signed in, or first to the page that asks for what is missing.

    method: how the user has proven who they are, such as `password`; a user of a second factor
    is asked for it as well.
    """
    record_authentication(request, user, method, username=user.username)
    login = Login(user=user, email_verification=_verification(user), redirect_url=to)
    response: HttpResponse = perform_login(request, login)
    return response


def must_verify_email() -> bool:
    """Whether a new account needs an address that is verified: when strangers may sign up.

    A server that sends no mail cannot verify any.
    """
    return bool(settings.SIGN_UP == "open" and settings.SENDS_MAIL)


def _verification(user: User) -> EmailVerificationMethod:
    """Mandatory for those who signed up and have never been in. Others keep their way in."""
    if not must_verify_email() or user.last_login is not None:
        return EmailVerificationMethod.OPTIONAL
    addresses = set(EmailAddress.objects.filter(user=user).values_list("verified", flat=True))
    if addresses == {False}:
        return EmailVerificationMethod.MANDATORY
    return EmailVerificationMethod.OPTIONAL
