"""django-allauth's forms as our pages show them: with a label, and no placeholder that repeats it.

The settings ACCOUNT_FORMS and MFA_FORMS name them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from allauth.account.forms import AddEmailForm, ReauthenticateForm
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.base.forms import ReauthenticateForm as ReauthenticateByCodeForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from django import forms
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.utils.translation import gettext_lazy

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import ApiToken, User

if TYPE_CHECKING:
    SetPassword = SetPasswordForm[User]
else:
    SetPassword = SetPasswordForm


class PlainForm(FormWithSent):
    """A form without placeholders."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)


class TypedTwice(forms.Form):
    """A form for a new password, entered twice, which asks what becomes of the account's tokens."""

    user: User

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        again = self.fields["new_password2"]
        again.label, again.help_text = gettext_lazy("New password again"), ""
        if ApiToken.objects.filter(user=self.user).exists():
            self.fields["tokens"] = _tokens_field()

    def save(self, commit: bool = True) -> User:
        user: User = super().save(commit)  # type: ignore[misc]
        if self.cleaned_data.get("tokens") == "end":
            ApiToken.objects.filter(user=user).delete()
        return user


def _tokens_field() -> forms.ChoiceField:
    """Whoever knows a token can use it without the password."""
    choices = [
        ("keep", gettext_lazy("Keep them: programs that use them go on working")),
        ("end", gettext_lazy("End them: somebody else may know them")),
    ]
    return forms.ChoiceField(
        label=gettext_lazy("API tokens of this account"),
        choices=choices,
        widget=forms.RadioSelect,
    )


class NewPasswordForm(TypedTwice, SetPassword):
    """A password for an account that has none, or whose user has lost it."""


class ChangePasswordForm(TypedTwice, PasswordChangeForm):
    """A new password; the current one is required."""


class AddressForm(PlainForm, AddEmailForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = gettext_lazy("New e-mail address")


class ConfirmForm(PlainForm, ReauthenticateForm):  # type: ignore[misc]
    """The password, asked for again before a sensitive action."""


class CodeOfFactorForm(PlainForm, AuthenticateForm):  # type: ignore[misc]
    """The code that is asked for at the sign-in."""


class ConfirmByCodeForm(PlainForm, ReauthenticateByCodeForm):  # type: ignore[misc]
    """The code, asked for again before a sensitive action."""


class KeyForm(AddWebAuthnForm):  # type: ignore[misc]
    """A new passkey or security key, with a name to recognise it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        alone = self.fields["passwordless"]
        alone.label = gettext_lazy("Passkey: sign in with it alone, without a password")
        alone.help_text = gettext_lazy("The device then asks for a fingerprint, a face or a PIN.")


class AppForm(PlainForm, ActivateTOTPForm):  # type: ignore[misc]
    """The first code of an app."""
