"""`/c/{slug}/manage/metrics/`: organisers change the metrics of a challenge, and the ranking."""

from __future__ import annotations

from leaderboard.pages.manage.changing import change_view
from leaderboard.pages.manage.forms.metrics_form import MetricsForm
from leaderboard.pages.shared.access import signed_in

manage_metrics = change_view(
    "metrics", lambda challenge, request, data: MetricsForm(challenge, signed_in(request), data)
)
