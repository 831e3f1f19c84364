"""`/account/password/`: change the password, or choose the first one."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.views import PasswordChangeView
from django.urls import reverse_lazy

from leaderboard.pages.accounts.forms import ChangePasswordForm, NewPasswordForm
from leaderboard.pages.shared.access import signed_in


class PasswordView(PasswordChangeView):
    template_name = "pages/password.html"
    success_url = reverse_lazy("account")

    def get_form_class(self) -> type[Any]:
        """The form; accounts from a link or a provider have no old password to ask for."""
        has_one = signed_in(self.request).has_usable_password()
        return ChangePasswordForm if has_one else NewPasswordForm
