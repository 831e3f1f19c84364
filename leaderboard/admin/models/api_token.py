"""API tokens: shown and revoked here, created on the account page. No secret is stored."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.admin.scoped import TenantFilter, TenantScoped, user_of
from leaderboard.models import ApiToken


@admin.register(ApiToken)
class ApiTokenAdmin(TenantScoped):
    """Organisers see the tokens that are bound to their tenants, operators all."""

    list_display = [
        "token_key",
        "name",
        "user",
        "scope_names",
        "tenant",
        "challenge",
        "participant",
        "created",
        "expiry",
        "last_used_at",
    ]
    list_display_links = None
    list_filter = [TenantFilter]
    list_select_related = ["user", "tenant", "challenge", "participant"]
    search_fields = ["token_key", "name", "user__username"]
    ordering = ["-created"]
    fields = [
        "token_key",
        "name",
        "user",
        "scope_names",
        "tenant",
        "challenge",
        "participant",
        "created",
        "expiry",
    ]
    readonly_fields = ["scope_names"]

    @admin.display(description=gettext_lazy("scopes"))
    def scope_names(self, token: ApiToken) -> str:
        return ", ".join(token.scopes)

    def get_actions(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        """The actions, with deletion named "Revoke tokens"; Django's page asks to confirm it.

        The further arguments are those of Django 6: from Python 3.12 on, the type check uses the
        types of that version.
        """
        actions: Any = super().get_actions(request, *args, **options)
        if action := actions.get("delete_selected"):
            actions["delete_selected"] = (action[0], action[1], _("Revoke tokens…"))
        return actions

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is not None and obj.tenant_id is None:
            return user_of(request).is_superuser
        return super().has_delete_permission(request, obj)
