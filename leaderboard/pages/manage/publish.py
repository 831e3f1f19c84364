"""`/c/{slug}/manage/publish/`, `…/sample/` and `…/copy/`: organisers try and publish drafts."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from leaderboard.pages.shared.access import organised_or_404, signed_in
from leaderboard.services.challenges.challenges import publish_challenge
from leaderboard.services.challenges.drafts import copy_challenge
from leaderboard.services.errors import ServiceError
from leaderboard.services.imports.samples import send_sample


@require_POST
@login_required
def publish(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = organised_or_404(request, slug)
    try:
        publish_challenge(challenge, user=signed_in(request))
    except ServiceError as refused:
        messages.error(request, refused.message)
        return redirect("manage", slug=slug)
    messages.success(request, _("The challenge is published."))
    return redirect("hand-out", slug=slug)


@require_POST
@login_required
def sample(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the sample attempt of a draft."""
    challenge = organised_or_404(request, slug)
    try:
        send_sample(challenge, user=signed_in(request))
    except ServiceError as refused:
        messages.error(request, refused.message)
    return redirect(f"{reverse('manage', args=[slug])}#checklist")


@require_POST
@login_required
def copy(request: HttpRequest, slug: str) -> HttpResponse:
    """For organisers of the tenant, to whom the new challenge belongs."""
    challenge = organised_or_404(request, slug)
    if not signed_in(request).organises(challenge.tenant_id):
        raise Http404("There is no such page.")
    try:
        copied = copy_challenge(challenge, user=signed_in(request))
    except ServiceError as refused:
        messages.error(request, refused.message)
        return redirect("manage", slug=slug)
    messages.success(request, _("This is the copy, a draft. Look at the dates of its phases."))
    return redirect("manage", slug=copied.slug)
