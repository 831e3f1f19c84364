"""`/c/{slug}/manage/webhooks/`: the addresses that are called, and what they have answered."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import Challenge, Webhook
from leaderboard.pages.shared.access import organised_or_404, signed_in
from leaderboard.pages.shared.forms import explain
from leaderboard.schemas.choices import WebhookFormat, WebhookReader
from leaderboard.services.errors import ServiceError
from leaderboard.services.webhooks import endpoints

DELIVERIES: Final = 10
FORMATS: Final = (
    (WebhookFormat.STANDARD, gettext_lazy("Signed JSON (Standard Webhooks)")),
    (WebhookFormat.SLACK, gettext_lazy("Slack, Mattermost, Rocket.Chat")),
    (WebhookFormat.DISCORD, "Discord"),
    (WebhookFormat.TEAMS, "Teams"),
    (WebhookFormat.MATRIX, "Matrix"),
)
VIEWS: Final = (
    (WebhookReader.PUBLIC, gettext_lazy("What anyone may know")),
    (WebhookReader.ORGANISER, gettext_lazy("Everything that organisers see")),
)


class WebhookForm(FormWithSent):
    """The service checks what is sent, so that errors are those of the API."""

    url = forms.CharField(
        label=pgettext_lazy("of a webhook", "Address"),
        widget=forms.TextInput(attrs={"type": "url", "autocomplete": "off"}),
        help_text=gettext_lazy("It is not shown again."),
    )
    format = forms.ChoiceField(label=gettext_lazy("Format"), choices=FORMATS)
    view = forms.ChoiceField(label=gettext_lazy("Messages about"), choices=VIEWS)
    whole_tenant = forms.BooleanField(
        label=gettext_lazy("Of all challenges of the tenant"),
        required=False,
        help_text=gettext_lazy("Also of those that are published later."),
    )

    def __init__(self, data: QueryDict | None, *, tenants: bool) -> None:
        super().__init__(data)
        if not tenants:
            del self.fields["whole_tenant"]


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    """A new secret is shown in the answer itself, once."""
    challenge = organised_or_404(request, slug)
    tenants = signed_in(request).organises(challenge.tenant_id)
    adds = request.POST.get("action") == "add"
    form = WebhookForm(request.POST if adds else None, tenants=tenants)
    secret = ""
    if request.method == "POST":
        secret = _added(request, challenge, form) if adds else _done(request, challenge)
        if not (secret or form.errors):
            return redirect("manage-webhooks", slug=slug)
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "webhooks",
        "form": WebhookForm(None, tenants=tenants) if secret else form,
        "secret": secret,
        "webhooks": [
            (
                webhook,
                dict(FORMATS)[WebhookFormat(webhook.format)],
                dict(VIEWS)[WebhookReader(webhook.view)],
                endpoints.deliveries_of(webhook)[:DELIVERIES],
            )
            for webhook in endpoints.webhooks_of(challenge, tenants=tenants)
        ],
    }
    status = 422 if form.errors else 200
    return render(request, "pages/manage/webhooks.html", context, status=status)


def _added(request: HttpRequest, challenge: Challenge, form: WebhookForm) -> str:
    """The secret of a new webhook; "" with the errors in the form."""
    if not form.is_valid():
        return ""
    try:
        _webhook, secret = endpoints.create_webhook(
            challenge, form.cleaned_data, by=signed_in(request)
        )
    except ServiceError as refused:
        explain(form, refused)
        return ""
    return secret


def _done(request: HttpRequest, challenge: Challenge) -> str:
    """Do what was asked for with a webhook; returns a new secret, "" if none was made."""
    tenants = signed_in(request).organises(challenge.tenant_id)
    webhook = _named(challenge, request.POST.get("webhook", ""), tenants=tenants)
    match request.POST.get("action"):
        case "rotate":
            return endpoints.rotate_secret(webhook, by=signed_in(request))
        case "ping":
            endpoints.ping(webhook)
            messages.success(request, _("A message is on its way."))
        case "enable":
            endpoints.change_webhook(webhook, {"enabled": True}, by=signed_in(request))
            messages.success(request, _("The webhook is called again."))
        case "remove":
            endpoints.remove_webhook(webhook, by=signed_in(request))
            messages.success(request, _("The webhook is removed."))
        case "replay":
            _replay(request, webhook)
        case _:
            raise Http404("There is no such action.")
    return ""


def _replay(request: HttpRequest, webhook: Webhook) -> None:
    try:
        endpoints.replay(webhook, UUID(request.POST.get("delivery", "")))
    except (ValueError, ServiceError):
        raise Http404("There is no such delivery.") from None
    messages.success(request, _("A message is on its way."))


def _named(challenge: Challenge, text: str, *, tenants: bool) -> Webhook:
    try:
        return endpoints.webhooks_of(challenge, tenants=tenants).get(pk=UUID(text))
    except (ValueError, Webhook.DoesNotExist):
        raise Http404("There is no such webhook.") from None
