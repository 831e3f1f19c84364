"""The admin site: Django's own, with the operator's name on it and the isolation report."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest
from django.urls import URLPattern, URLResolver, path, reverse

from leaderboard.admin.isolation import isolation_page
from leaderboard.admin.scoped import organised_ids


class PodiumAdminSite(admin.AdminSite):
    """Shows organisers the isolation report beside the rows that they may edit."""

    site_header = f"{settings.SITE_NAME} admin"
    site_title = f"{settings.SITE_NAME} admin"
    index_title = "Organising"

    def get_urls(self) -> list[URLPattern | URLResolver]:
        page = path("isolation/", self.admin_view(isolation_page), name="isolation")
        return [page, *super().get_urls()]

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        apps: list[Any] = super().get_app_list(request, app_label)
        for app in apps:
            if app["app_label"] == "leaderboard" and organised_ids(request):
                app["models"].append(self._isolation_entry())
        return apps

    def _isolation_entry(self) -> dict[str, Any]:
        return {
            "name": "Isolation of scorers",
            "object_name": "isolation",
            "perms": {},
            "admin_url": reverse("admin:isolation", current_app=self.name),
            "add_url": None,
            "view_only": True,
        }
