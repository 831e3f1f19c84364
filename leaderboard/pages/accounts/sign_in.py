"""`/sign-in/`."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from leaderboard.auth.signing_in import SignInView
from leaderboard.pages.accounts.invitation import take_destination
from leaderboard.rules.json.untyped_dicts import FrameworkDict


class PagesSignInView(SignInView):
    template_name = "pages/sign_in.html"
    redirect_authenticated_user = True

    def get_default_redirect_url(self) -> str:
        """Where a code or an invitation leads, if the visitor has brought one."""
        return take_destination(self.request) or str(super().get_default_redirect_url())

    def get_context_data(self, **kwargs: Any) -> FrameworkDict:
        return super().get_context_data(is_open=settings.SIGN_UP == "open", **kwargs)
