"""Participants: how they are shown, and who may submit as them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import ForeignKey
from django.http import HttpRequest

from leaderboard.admin.paging import CappedPaginator
from leaderboard.admin.scoped import TenantFilter, TenantScoped
from leaderboard.admin.usernames import UsernameField
from leaderboard.models import Participant
from leaderboard.services.participants import change_participant, clean_display_name
from leaderboard.services.refused import Refused

if TYPE_CHECKING:
    ModelForm = forms.ModelForm[Participant]
else:
    ModelForm = forms.ModelForm


class ParticipantForm(ModelForm):
    def clean_name(self) -> str:
        try:
            return clean_display_name(self.cleaned_data["name"])
        except Refused as refused:
            raise ValidationError(refused.fields["name"]) from None


@admin.register(Participant)
class ParticipantAdmin(TenantScoped):
    """Made by their first attempt, and never deleted: their attempts stay."""

    form = ParticipantForm
    list_display = ["handle", "name", "kind", "tenant", "owner", "first_seen"]
    list_filter = [TenantFilter, "kind"]
    list_select_related = ["tenant", "owner"]
    search_fields = ["handle", "name", "slug"]
    ordering = ["-pk"]
    paginator = CappedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_max_show_all = 0
    sortable_by = ("first_seen",)
    fields = ["handle", "name", "kind", "owner", "tenant", "slug"]
    readonly_fields = ["handle", "tenant", "slug"]

    @admin.display(description="first seen", ordering="pk")
    def first_seen(self, participant: Participant) -> datetime:
        return participant.created_at

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> forms.ModelChoiceField[Any] | None:
        if db_field.name == "owner":
            return UsernameField(required=False, help_text=db_field.help_text)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Participant, form: Any, change: bool) -> None:
        change_participant(obj, name=obj.name, kind=obj.kind, owner=obj.owner)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
