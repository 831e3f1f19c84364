"""`/c/{slug}/manage/metrics/`: organisers change the metrics of a challenge, and the ranking."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.pages.manage.changing import change_page
from leaderboard.pages.manage.forms.metrics_form import MetricsForm
from leaderboard.pages.shared.access import organised_or_404, signed_in


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_metrics(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = organised_or_404(request, slug)
    user, data = signed_in(request), request.POST if request.method == "POST" else None
    return change_page(
        request, challenge, lambda: MetricsForm(challenge, user, data), part="metrics"
    )
