"""Memberships: who belongs to a tenant, and who organises it."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import ForeignKey
from django.forms import ModelChoiceField
from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy

from leaderboard.admin.scoped import TenantFilter, TenantScoped, user_of
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
        if obj is None:
            return ()
        return ("tenant", "user" if user_of(request).is_superuser else "member")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        readonly = self.get_readonly_fields(request, obj) or ("tenant", "user")
        return (*readonly, "role")

    @admin.display(description=gettext_lazy("User"))
    def member(self, membership: Membership) -> str:
        """The user without a link, which would lead organisers to a page that refuses them."""
        return membership.user.get_username()

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        if db_field.name == "user":
            return UsernameField(label=capfirst(db_field.verbose_name))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)
