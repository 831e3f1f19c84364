"""`/account/providers/`: the provider accounts through which a user may sign in."""

from __future__ import annotations

from dataclasses import dataclass

from allauth.account.internal.flows.reauthentication import raise_if_reauthentication_required
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.models import User
from leaderboard.pages.shared.access import signed_in


@dataclass(frozen=True, slots=True)
class Connection:
    """An account of the user at a provider, with its name there."""

    pk: int
    provider: str
    account: str


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def connections_page(request: HttpRequest) -> HttpResponse:
    """Show connected and available providers; the form removes one connection."""
    raise_if_reauthentication_required(request, app="allauth.socialaccount")
    user = signed_in(request)
    rows = list(SocialAccount.objects.filter(user=user).order_by("pk"))
    if request.method == "POST":
        wanted = request.POST.get("connection", "")
        row = next((row for row in rows if str(row.pk) == wanted), None)
        if row is None:
            raise Http404("There is no such connection.")
        return _disconnected(request, user, row, is_last=len(rows) == 1)
    used = {row.provider for row in rows}
    context = {
        "connections": [_connection(row) for row in rows],
        "available": [provider for provider in settings.OPENID_CONNECT if provider.id not in used],
    }
    return render(request, "pages/accounts/connections.html", context)


def _connection(row: SocialAccount) -> Connection:
    names = {provider.id: provider.name for provider in settings.OPENID_CONNECT}
    return Connection(
        row.pk, names.get(row.provider, row.provider), row.extra_data.get("shown", "")
    )


def _disconnected(
    request: HttpRequest, user: User, row: SocialAccount, *, is_last: bool
) -> HttpResponse:
    """Remove a connection, unless the user could not sign in without it."""
    if is_last and not _has_another_way_in(user):
        messages.error(request, _("Choose a password first: you could not sign in any more."))
    else:
        row.delete()
        messages.success(request, _("The account is disconnected."))
    return redirect("socialaccount_connections")


def _has_another_way_in(user: User) -> bool:
    keys = Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN)
    return user.has_usable_password() or any(key.wrap().is_passwordless for key in keys)
