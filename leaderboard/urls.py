"""Where each path leads."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, path

from leaderboard.monitoring import metrics

urlpatterns: list[URLPattern | URLResolver] = [path("admin/", admin.site.urls)]

if settings.PROMETHEUS_TOKEN:
    urlpatterns.append(path("metrics", metrics))
