"""`/people/`: organisers invite people, make links for users, and import accounts."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.mail import EmailMessage
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.http.links import absolute
from leaderboard.messages.mail import send_soon
from leaderboard.models import OneTimeLink, Tenant, User
from leaderboard.models.tenant import TenantQuerySet
from leaderboard.pages.accounts.people_forms import HelpForm, InviteForm, TableForm
from leaderboard.pages.accounts.qr import qr_code
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.forms import explain
from leaderboard.rules.json.untyped_dicts import FormValues
from leaderboard.rules.texts.quoting import sent
from leaderboard.services.accounts.one_time_links import make_link
from leaderboard.services.accounts.removal import remove_accounts, unused_accounts
from leaderboard.services.accounts.tables import accounts_from_table, planned_accounts
from leaderboard.services.competition.participants.registration_rules import invite_address
from leaderboard.services.errors import ServiceError

SHOWN = 100
MOST_REMOVED = 1_000


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def people_page(request: HttpRequest) -> HttpResponse:
    """Show two forms; each creates a link, which is shown only once."""
    user, tenants = _organiser(request)
    asked = request.POST.get("form")
    invite = InviteForm(tenants, request.POST if asked == "invite" else None)
    help_one = HelpForm(request.POST if asked == "help" else None)
    made = None
    if asked == "invite" and invite.is_valid():
        made = _invited(request, user, invite)
    elif asked == "help" and help_one.is_valid():
        made = _helped(user, help_one)
    if made:
        invite, help_one = InviteForm(tenants), HelpForm()
    context = {
        "invite": invite,
        "help": help_one,
        "table": TableForm(tenants),
        "made": made[0] if made else None,
        "address": _address_of(request, made[1]) if made else "",
        "links": _open_links(user),
        "unused": unused_accounts(tenants),
        "may_invite": settings.SIGN_UP != "off",
    }
    status = 422 if invite.errors or help_one.errors else 200
    return render(request, "pages/accounts/people.html", context, status=status)


@login_required
@never_cache
@require_POST
def accounts_page(request: HttpRequest) -> HttpResponse:
    """Create accounts from a table, or show what it would make (`preview`)."""
    user, tenants = _organiser(request)
    form = TableForm(tenants, request.POST, request.FILES)
    if form.is_valid():
        try:
            return _made_of_table(request, user, form)
        except ServiceError as refused:
            explain(form, refused)
    return render(request, "pages/accounts/table.html", {"form": form}, status=422)


def _made_of_table(request: HttpRequest, user: User, form: TableForm) -> HttpResponse:
    """A preview, or a sheet to print with the links of new accounts, which is shown only once.

    Raises ServiceError.
    """
    data, tenant = form.cleaned_data["data"], form.cleaned_data["tenant"]
    if "preview" in request.POST:
        planned = planned_accounts(data, tenant=tenant, by=user)
        context = {"planned": planned, "tenant": tenant}
        return render(request, "pages/accounts/table_preview.html", context)
    page = absolute(request, resolve_url("link"))
    cards = [
        {"user": account.user, "code": account.code, "qr": qr_code(f"{page}#{account.code}")}
        for account in accounts_from_table(data, tenant=tenant, by=user)
    ]
    context = {"cards": cards, "page": page, "tenant": tenant}
    return render(request, "pages/accounts/sheet.html", context)


@login_required
@require_POST
def accounts_removed(request: HttpRequest) -> HttpResponse:
    """Remove accounts that were made by mistake and that nobody has used."""
    user, tenants = _organiser(request)
    tenant = get_object_or_404(tenants, slug=request.POST.get("tenant", "").replace("\0", ""))
    ids = [int(text) for text in request.POST.getlist("user") if text.isdecimal()][:MOST_REMOVED]
    count = remove_accounts(tenant, ids, by=user)
    text = ngettext("{count} account is removed.", "{count} accounts are removed.", count)
    messages.success(request, text.format(count=count))
    if count < len(ids):
        messages.warning(request, _("Accounts that somebody has used stay."))
    return redirect("people")


@login_required
@require_POST
def link_end(request: HttpRequest, pk: int) -> HttpResponse:
    """End an unused link."""
    user, _tenants = _organiser(request)
    if not OneTimeLink.objects.open().filter(made_by=user, pk=pk).delete()[0]:
        raise Http404("There is no such link.")
    messages.success(request, _("The link is ended."))
    return redirect("people")


def _organiser(request: HttpRequest) -> tuple[User, TenantQuerySet]:
    """The user and the tenants that they organise. Raises PermissionDenied if there is none."""
    user = signed_in(request)
    tenants = Tenant.objects.organised_by(user)
    if not tenants.exists():
        raise PermissionDenied
    return user, tenants


def _invited(request: HttpRequest, user: User, form: InviteForm) -> tuple[OneTimeLink, str] | None:
    given: FormValues = form.cleaned_data
    try:
        link, code = make_link(
            OneTimeLink.Purpose.INVITATION,
            by=user,
            tenant=given["tenant"],
            challenge=given["challenge"],
            role=given["role"],
            label=given["email"],
            lifetime=timedelta(days=given["days"]),
        )
    except ServiceError as refused:
        explain(form, refused)
        return None
    if given["email"] and given["challenge"]:
        invite_address(given["challenge"], given["email"], by=user)
    if given["email"] and settings.SENDS_MAIL:
        _send(given["email"], _address_of(request, code), link)
    return link, code


def _helped(user: User, form: HelpForm) -> tuple[OneTimeLink, str] | None:
    """A link for a user; None with the same error for unknown users and those of other tenants."""
    given = form.cleaned_data
    named = User.objects.filter(username=given["username"], is_active=True).first()
    try:
        if named is None:
            raise ServiceError("not_found", "")
        return make_link(OneTimeLink.Purpose(given["purpose"]), by=user, user=named)
    except ServiceError:
        text = _("must be the name of an account that your tenant has made; got {sent}")
        form.add_error("username", text.format(sent=sent(given["username"])))
        return None


def _open_links(user: User) -> list[OneTimeLink]:
    mine = OneTimeLink.objects.open().filter(made_by=user)
    return list(mine.select_related("user", "tenant", "challenge")[:SHOWN])


def _address_of(request: HttpRequest, code: str) -> str:
    return f"{absolute(request, resolve_url('link'))}#{code}"


def _send(address: str, link_address: str, link: OneTimeLink) -> None:
    context = {"link": link_address, "site_title": settings.SITE_NAME, "tenant": link.tenant}
    body = render_to_string("account/email/invitation_message.txt", context)
    subject = settings.ACCOUNT_EMAIL_SUBJECT_PREFIX + _("You are invited")
    send_soon(EmailMessage(subject, body.strip(), to=[address]))
