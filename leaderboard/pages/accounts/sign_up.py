"""`/sign-up/`: a new account."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import SignupForm
from allauth.account.internal.flows.signup import complete_signup
from allauth.account.views import SignupView
from allauth.core.exceptions import ImmediateHttpResponse
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.auth.signing_in import must_verify_email
from leaderboard.forms.errors import FormWithSent


class SignUpForm(FormWithSent, SignupForm):  # type: ignore[misc]
    """Name, address and password. The address is required if it has to be verified."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        options = {**kwargs, "email_required": must_verify_email()}
        super().__init__(*args, **options)
        self.fields["username"].help_text = gettext_lazy("What you sign in with.")
        self.fields["email"].label = gettext_lazy("E-mail address")
        self.fields["password2"].label = gettext_lazy("Password again")
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)


class SignUpView(SignupView):  # type: ignore[misc]
    template_name = "account/signup.html"
    form_class = SignUpForm

    def form_valid(self, form: SignUpForm) -> HttpResponse:
        try:
            return self._signed_up(form)
        except IntegrityError:  # another user took the name a moment ago
            text = _("must be free; got a name that was taken a moment ago")
            form.add_error("username", ValidationError(text))
            refused: HttpResponse = self.form_invalid(form)
            return refused

    @transaction.atomic
    def _signed_up(self, form: SignUpForm) -> HttpResponse:
        self.user, answer = form.try_save(self.request)
        if answer is not None:
            return answer  # type: ignore[no-any-return]
        try:
            response: HttpResponse = complete_signup(
                self.request,
                user=self.user,
                email_verification="mandatory" if must_verify_email() else "optional",
                redirect_url=self.get_success_url(),
            )
        except ImmediateHttpResponse as instead:
            response = instead.response
        return response
