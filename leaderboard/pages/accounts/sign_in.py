"""`/sign-in/`."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from leaderboard.rules.open_dicts import FrameworkDict
from leaderboard.signing_in import SignInView


class PagesSignInView(SignInView):
    template_name = "pages/sign_in.html"
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> FrameworkDict:
        return super().get_context_data(is_open=settings.SIGN_UP == "open", **kwargs)
