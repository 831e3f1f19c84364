"""The URLs of the product."""

from __future__ import annotations

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path, re_path
from drf_spectacular.views import SpectacularAPIView

from leaderboard.admin.registered import registered_site
from leaderboard.api.views.health import healthz, readyz, status_json
from leaderboard.api.views.unknown_paths import UnknownPathView
from leaderboard.monitoring.metrics import metrics
from leaderboard.pages.api_docs.page import api_docs

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("status.json", status_json, name="status-json"),
    path("api/v1/", include("leaderboard.api.urls")),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs/", api_docs, name="api-docs"),
    path("api/docs/<slug:part>/", api_docs, name="api-docs-part"),
    re_path(r"^api/", UnknownPathView.as_view(), name="api-unknown-path"),
    path("admin/", registered_site().urls),
    path("", include("leaderboard.pages.urls")),
]

if settings.PROMETHEUS_TOKEN:
    urlpatterns.append(path("metrics", metrics, name="metrics"))

handler400 = "leaderboard.api.views.unknown_paths.bad_request"
handler403 = "leaderboard.api.views.unknown_paths.permission_denied"
handler404 = "leaderboard.api.views.unknown_paths.page_not_found"
handler429 = "leaderboard.pages.site.limits.too_many_requests"  # asked for by django-allauth
handler500 = "leaderboard.api.views.unknown_paths.server_error"
