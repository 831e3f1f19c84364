"""`/sign-up/name/`: asks new users of a provider for a username or an address."""

from __future__ import annotations

from typing import Any

from allauth.socialaccount.forms import SignupForm
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.views import SignupView
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.auth.signing_in import must_verify_email
from leaderboard.forms.errors import FormWithSent
from leaderboard.rules.json.untyped_dicts import FormValues, FrameworkDict


class ProviderSignUpForm(FormWithSent, SignupForm):  # type: ignore[misc]
    """A username, and an address if the provider has sent none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        options = {**kwargs, "email_required": must_verify_email()}
        super().__init__(*args, **options)
        self.fields["username"].help_text = gettext_lazy("How this site calls you.")
        self.fields["email"].label = gettext_lazy("E-mail address")
        if self.sociallogin.email_addresses:
            del self.fields["email"]
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)

    def clean(self) -> FormValues:
        cleaned: FormValues = super().clean() or {}
        for address in self.sociallogin.email_addresses[:1]:
            cleaned["email"] = address.email
        return cleaned


class ProviderSignUpView(SignupView):  # type: ignore[misc]
    template_name = "pages/accounts/provider_sign_up.html"
    form_class = ProviderSignUpForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        except SocialApp.DoesNotExist:  # the operator has removed the provider
            return redirect("login")
        return response

    def form_valid(self, form: ProviderSignUpForm) -> HttpResponse:
        try:
            with transaction.atomic():
                response: HttpResponse = super().form_valid(form)
        except IntegrityError:  # another user took the name a moment ago
            text = _("must be free; got a name that was taken a moment ago")
            form.add_error("username", ValidationError(text))
            response = self.render_to_response(self.get_context_data(form=form), status=422)
        return response

    def get_context_data(self, **kwargs: Any) -> FrameworkDict:
        name = self.sociallogin.provider.name
        return {**super().get_context_data(**kwargs), "provider_name": name}
