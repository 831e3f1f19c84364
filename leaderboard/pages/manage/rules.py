"""`/c/{slug}/manage/rules/`: organisers change what a challenge says, scores and shows."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.pages.manage.changing import change_page
from leaderboard.pages.manage.forms.rules_form import RulesForm
from leaderboard.pages.shared.access import organised_or_404, signed_in


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_rules(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = organised_or_404(request, slug)
    user, data = signed_in(request), request.POST if request.method == "POST" else None
    return change_page(request, challenge, lambda: RulesForm(challenge, user, data), part="rules")
