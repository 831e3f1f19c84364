"""Limits the admin to rows of the user's tenants; superusers see and edit all rows."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar, cast

from django import forms
from django.contrib import admin
from django.db.models import ForeignKey, Model, QuerySet
from django.forms import ModelChoiceField
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import Tenant, User
from leaderboard.models.tenant import TenantQuerySet
from leaderboard.rules.json.untyped_dicts import FrameworkDict

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    ModelForm = forms.ModelForm[Any]
else:
    ModelAdmin = admin.ModelAdmin
    ModelForm = forms.ModelForm


def user_of(request: HttpRequest) -> User:
    """The user who is signed in; the admin requires one."""
    return cast("User", request.user)


def organised_tenants(request: HttpRequest) -> TenantQuerySet:
    """The tenants whose rows this request may see and edit."""
    user = request.user
    if isinstance(user, User) and user.is_active and user.is_staff:
        return Tenant.objects.organised_by(user)
    return Tenant.objects.none()


def organised_ids(request: HttpRequest) -> frozenset[int]:
    """Ids of `organised_tenants`, read once per request for all rows and buttons."""
    tenant_ids: frozenset[int] | None = getattr(request, "organised_tenant_ids", None)
    if tenant_ids is None:
        tenant_ids = frozenset(organised_tenants(request).values_list("pk", flat=True))
        request.organised_tenant_ids = tenant_ids  # type: ignore[attr-defined]
    return tenant_ids


class RowForm(FormWithSent, ModelForm):
    """The form of a row, unless a model has a form of its own."""


class TenantScoped(ModelAdmin):
    """A model whose rows belong to tenants: memberships decide, not Django's permissions.

    `tenant_path` leads from a row to its tenant, as in a filter.
    """

    tenant_path: ClassVar[str] = "tenant"
    form: Any = RowForm

    class Media:
        js = ["admin-podium/names.js"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        if user_of(request).is_superuser:
            return rows
        return rows.filter(**{f"{self.tenant_path}__in": organised_ids(request)})

    def organises(self, request: HttpRequest, row: Model | None = None) -> bool:
        """Whether the user organises the row's tenant; without a row, any tenant."""
        if row is None:
            return user_of(request).is_superuser or bool(organised_ids(request))
        return self.tenant_id_of(row) in organised_ids(request)

    def tenant_id_of(self, row: Model) -> int:
        steps = f"{self.tenant_path}_id".split("__")
        return cast("int", reduce(getattr, steps, row))

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.organises(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.organises(request, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.organises(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.organises(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.organises(request, obj)

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        if db_field.related_model is Tenant:
            kwargs["queryset"] = tenants = organised_tenants(request)
            if len(first_tenants := tenants[:2]) == 1:
                kwargs["initial"] = first_tenants[0].pk
        return super().formfield_for_foreignkey(db_field, request, **kwargs)


class TenantFilter(admin.SimpleListFilter):
    """Filters by tenant; offers those that the user organises, and nothing if it is only one."""

    title = gettext_lazy("tenant")
    parameter_name = "tenant"

    def __init__(
        self, request: HttpRequest, params: FrameworkDict, model: type[Model], model_admin: Any
    ) -> None:
        super().__init__(request, params, model, model_admin)
        self.tenant_path: str = model_admin.tenant_path

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(tenant.slug, tenant.name) for tenant in organised_tenants(request)]

    def has_output(self) -> bool:
        return len(self.lookup_choices) > 1

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        slug = self.value()
        return queryset.filter(**{f"{self.tenant_path}__slug": slug}) if slug else queryset
