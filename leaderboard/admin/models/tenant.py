"""Tenants: organisers may rename theirs, operators make and delete them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import F, Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.admin.scoped import TenantScoped, user_of
from leaderboard.models import Tenant


@admin.register(Tenant)
class TenantAdmin(TenantScoped):
    tenant_path = "pk"
    list_display = ["name", "slug", "created_at", "members"]
    search_fields = ["name", "slug"]
    fields = ["name", "slug"]

    def tenant_id_of(self, row: Model) -> int:
        return int(row.pk)

    @admin.display(description=gettext_lazy("members"))
    def members(self, tenant: Tenant) -> SafeString:
        page = reverse("admin:leaderboard_membership_changelist")
        return format_html('<a href="{}?tenant={}">{}</a>', page, tenant.slug, _("members"))

    def save_model(self, request: HttpRequest, obj: Tenant, form: object, change: bool) -> None:
        super().save_model(request, obj, form, change)
        # Boards name their tenant in the citation.
        obj.challenges.update(board_version=F("board_version") + 1)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Keep the slug read-only, because every scorer gets it in the scoring context."""
        return ("slug",) if obj else ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return user_of(request).is_superuser

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return user_of(request).is_superuser
