"""Memberships: who belongs to a tenant, and who organises it."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import ForeignKey
from django.forms import ModelChoiceField
from django.http import HttpRequest

from leaderboard.admin.scoped import TenantFilter, TenantScoped
from leaderboard.admin.usernames import UsernameField
from leaderboard.models import Membership


@admin.register(Membership)
class MembershipAdmin(TenantScoped):
    list_display = ["user", "tenant", "role"]
    list_filter = [TenantFilter, "role"]
    list_select_related = ["user", "tenant"]
    search_fields = ["user__username"]
    ordering = ["tenant", "user__username"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("tenant", "user") if obj else ()

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        if db_field.name == "user":
            return UsernameField()
        return super().formfield_for_foreignkey(db_field, request, **kwargs)
