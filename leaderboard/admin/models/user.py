"""Users: only for operators, because a user who may edit users can become anyone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from leaderboard.admin.scoped import user_of
from leaderboard.models import User

if TYPE_CHECKING:
    BaseUserAdmin = DjangoUserAdmin[User]
else:
    BaseUserAdmin = DjangoUserAdmin


@admin.register(User)
class UserAdmin(BaseUserAdmin):
    """Django's own without groups and permissions, because memberships decide permissions."""

    list_display = ["username", "email", "is_staff", "is_superuser", "is_active", "last_login"]
    list_filter = ["is_staff", "is_superuser", "is_active"]
    filter_horizontal = ()
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        (gettext_lazy("Person"), {"fields": ["first_name", "last_name", "email"]}),
        (
            gettext_lazy("Rights"),
            {"fields": ["is_active", "is_staff", "is_superuser", "is_self_named"]},
        ),
        (gettext_lazy("Dates"), {"fields": ["last_login", "date_joined"]}),
    ]
    readonly_fields = ["last_login", "date_joined"]

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(getattr(request.user, "is_superuser", False))

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return user_of(request).is_superuser

    def has_add_permission(self, request: HttpRequest) -> bool:
        return user_of(request).is_superuser

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return user_of(request).is_superuser

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return user_of(request).is_superuser
