"""`/account/`: a user's tokens, participants and attempts."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from allauth.account.internal.flows.reauthentication import raise_if_reauthentication_required
from allauth.mfa.utils import is_mfa_enabled
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import (
    ApiToken,
    Attempt,
    Challenge,
    ChallengeRole,
    Participant,
    Tenant,
    User,
)
from leaderboard.models.choices import label_of
from leaderboard.pages.accounts.overview import settings_of
from leaderboard.pages.labels import row_labels
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.forms import explain
from leaderboard.rules.json.untyped_dicts import FieldOptions, FormValues
from leaderboard.rules.texts.quoting import sent
from leaderboard.services.competition.organisers.appointing import challenges_of, leave_role
from leaderboard.services.errors import ServiceError
from leaderboard.services.tokens import create_token, revoke_token

SHOWN = 20
NEWS = timedelta(days=14)
"""How long the page shows a new role of the user as news."""
LIFETIMES = {
    "30": gettext_lazy("30 days"),
    "90": gettext_lazy("90 days"),
    "365": gettext_lazy("A year"),
    "": gettext_lazy("Until it is revoked"),
}
SCOPES = {
    "read": gettext_lazy("Read what you may read, private challenges too"),
    "submit": gettext_lazy("Submit attempts"),
}
ORGANISE = {"organise": gettext_lazy("Configure challenges")}


class TokenForm(FormWithSent):
    """The name and the scopes of a new token. Only organisers may choose `organise`."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=80,
        help_text=gettext_lazy("Where it is used, such as “nightly runs”."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    lifetime = forms.ChoiceField(
        label=gettext_lazy("Valid for"), choices=list(LIFETIMES.items()), required=False
    )

    def __init__(self, user: User, submitted: QueryDict | None = None) -> None:
        self._user = user
        super().__init__(submitted, initial={"scopes": ["submit"], "lifetime": "90"})
        tenants = Tenant.objects.organised_by(user)
        scopes = SCOPES | ORGANISE if user.challenge_roles.exists() else SCOPES
        if tenants.exists():
            scopes = SCOPES | ORGANISE
            self.fields["tenant"] = forms.ModelChoiceField(
                tenants,
                label=_("Tenant"),
                required=False,
                empty_label=None,
                help_text=_("Whose challenges a token that configures challenges is for."),
            )
        self.fields["challenge"] = forms.CharField(
            label=_("Only at the challenge"),
            max_length=80,
            required=False,
            help_text=_("The last part of its address; empty: at every challenge."),
            widget=forms.TextInput(attrs={"autocomplete": "off"}),
        )
        self.fields["participant"] = forms.ModelChoiceField(
            Participant.objects.of(user).order_by("handle"),
            label=_("Only as the participant"),
            required=False,
            empty_label=_("Every participant of mine"),
        )
        self.fields["scopes"] = forms.MultipleChoiceField(
            label=_("Permissions"),
            choices=list(scopes.items()),
            widget=forms.CheckboxSelectMultiple,
        )
        self.order_fields(self.field_order)

    def clean_challenge(self) -> Challenge | None:
        """The challenge with the slug that was sent."""
        slug = self.cleaned_data["challenge"]
        if not slug:
            return None
        challenge = Challenge.objects.select_related("tenant").called(slug, self._user)
        if challenge is None:
            text = _("must be the address of a challenge that you may see; got {sent}")
            raise forms.ValidationError(text.format(sent=sent(slug)))
        return challenge

    def clean(self) -> FormValues:
        """A user who organises no tenant must name a challenge in which they have a role."""
        given = self.cleaned_data
        alone = "organise" in given.get("scopes", ()) and "tenant" not in self.fields
        if alone and not given.get("challenge") and "challenge" not in self.errors:
            text = _("must be named, because you organise or review single challenges; got none")
            self.add_error("challenge", text)
        return given

    def asked(self) -> FieldOptions:
        """The arguments of `create_token`."""
        given = self.cleaned_data
        days, organises = given["lifetime"], "organise" in given["scopes"]
        return {
            "name": given["name"],
            "scopes": given["scopes"],
            "tenant": given.get("tenant") if organises and not given["challenge"] else None,
            "challenge": given["challenge"],
            "participant": given["participant"],
            "expires_at": timezone.now() + timedelta(days=int(days)) if days else None,
        }


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def account_page(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    if request.method == "POST" and is_mfa_enabled(user):
        # A token is a way in without the second factor.
        raise_if_reauthentication_required(request, app="allauth.mfa")
    form = TokenForm(user, request.POST or None)
    text = _created(form, user) if request.method == "POST" and form.is_valid() else ""
    if text:
        form = TokenForm(user)
    context = {
        "form": form,
        "token": text,
        "tokens": _tokens(user),
        "participants": list(
            Participant.objects.filter(owner=user)
            .select_related("tenant")
            .order_by("handle")[:SHOWN]
        ),
        "attempts": _attempts(user),
        "roles": [
            RoleRow(challenge, label_of(challenge.role), _is_news(challenge))
            for challenge in challenges_of(user)
        ],
        "organises": "tenant" in form.fields,
        "settings": settings_of(user, organises="tenant" in form.fields),
    }
    return render(request, "pages/account.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def token_revoke(request: HttpRequest, key: str) -> HttpResponse:
    """Revoke one of the user's own tokens, named by its first characters."""
    token = ApiToken.objects.filter(user=signed_in(request), token_key=key).first()
    if token is None:
        raise Http404("There is no such token.")
    revoke_token(token)
    text = _("The token “{name}” is revoked.").format(name=token.name or token.token_key)
    messages.success(request, text)
    return redirect("account")


@login_required
@require_POST
def role_leave(request: HttpRequest, challenge: UUID) -> HttpResponse:
    """End one of the user's own roles in single challenges."""
    try:
        left = leave_role(signed_in(request), challenge)
    except ServiceError:
        raise Http404("There is no such role.") from None
    text = _("You have no role in {challenge} any more.").format(challenge=left.name)
    messages.success(request, text)
    return redirect("account")


def _created(form: TokenForm, user: User) -> str:
    """The text of a new token, shown only once; "" if it was refused."""
    try:
        _, text = create_token(user=user, **form.asked())
    except ServiceError as refused:
        explain(form, refused)
        return ""
    return text


class TokenRow(NamedTuple):
    """A token as the page lists it."""

    row: ApiToken
    scopes: str
    is_expired: bool


class RoleRow(NamedTuple):
    """A role in one challenge, in words. is_news: somebody else gave it in the last days."""

    row: ChallengeRole
    label: str | Promise
    is_news: bool


class AttemptRow(NamedTuple):
    """An attempt of the user, with its status in words."""

    row: Attempt
    status: str


def _tokens(user: User) -> list[TokenRow]:
    now = timezone.now()
    return [
        TokenRow(token, ", ".join(token.scopes), token.expiry is not None and token.expiry <= now)
        for token in ApiToken.objects.filter(user=user).select_related(
            "tenant", "challenge", "participant"
        )
    ]


def _is_news(row: ChallengeRole) -> bool:
    is_recent = timezone.now() - row.added_at < NEWS
    return is_recent and row.added_by_id is not None and row.added_by_id != row.user_id


def _attempts(user: User) -> list[AttemptRow]:
    """The user's newest attempts at challenges that they may still see."""
    mine = Attempt.objects.filter(
        submitted_by=user, challenge__in=Challenge.objects.visible_to(user)
    ).select_related("challenge", "participant")
    newest = mine.order_by("-submitted_at", "-id")[:SHOWN]
    return [AttemptRow(attempt, row_labels.status(attempt.status)) for attempt in newest]
