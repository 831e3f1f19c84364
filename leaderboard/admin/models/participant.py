"""Participants in the admin: their names, kinds and owners."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import ValidationError
from django.db.models import ForeignKey, QuerySet
from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.admin.paging import CappedPaginator
from leaderboard.admin.scoped import TenantFilter, TenantScoped, user_of
from leaderboard.admin.usernames import UsernameField
from leaderboard.forms.errors import FormWithSent
from leaderboard.models import Participant
from leaderboard.services.board.look_alikes import look_alikes, looking_alike
from leaderboard.services.competition.participants.creating import change_participant
from leaderboard.services.competition.participants.participant_batch import clean_display_name
from leaderboard.services.errors import ServiceError

if TYPE_CHECKING:
    ModelForm = forms.ModelForm[Participant]
else:
    ModelForm = forms.ModelForm


class ParticipantForm(FormWithSent, ModelForm):
    def clean_name(self) -> str:
        try:
            return clean_display_name(self.cleaned_data["name"])
        except ServiceError as refused:
            raise ValidationError(refused.fields["name"]) from None


class LooksLikeFilter(admin.SimpleListFilter):
    title = gettext_lazy("name")
    parameter_name = "looks_like"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("another", _("Looks like another"))]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Participant]
    ) -> QuerySet[Participant]:
        return looking_alike(queryset) if self.value() == "another" else queryset


class Participants(ChangeList):
    """A page of the list, whose look-alikes are found by one query."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list = list(self.result_list)
        alike = look_alikes(self.result_list)
        for participant in self.result_list:
            participant.others_alike = alike.get(participant.pk, [])


@admin.register(Participant)
class ParticipantAdmin(TenantScoped):
    """Participants; their first attempt creates them, and they are never deleted."""

    form = ParticipantForm
    list_display = ["handle", "name", "looks_like", "kind", "tenant", "owner", "first_seen"]
    list_filter = [TenantFilter, LooksLikeFilter, "kind"]
    list_select_related = ["tenant", "owner"]
    search_fields = ["handle", "name", "slug"]
    ordering = ["-pk"]
    paginator = CappedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_max_show_all = 0
    sortable_by = ("first_seen",)
    fields = ["handle", "name", "looks_like", "kind", "owner", "tenant", "slug"]
    readonly_fields = ["handle", "looks_like", "tenant", "slug"]

    @admin.display(description=gettext_lazy("looks like"), empty_value="")
    def looks_like(self, participant: Participant) -> str:
        """The other participants of its tenant whose names look like its own."""
        names: list[str] | None = getattr(participant, "others_alike", None)
        if names is None:
            names = look_alikes([participant]).get(participant.pk, [])
        return ", ".join(names)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return Participants

    @admin.display(description=gettext_lazy("first seen"), ordering="pk")
    def first_seen(self, participant: Participant) -> datetime:
        return participant.created_at

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> forms.ModelChoiceField[Any] | None:
        if db_field.name == "owner":
            return UsernameField(
                label=capfirst(db_field.verbose_name),
                required=False,
                help_text=db_field.help_text,
            )
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Participant, form: Any, change: bool) -> None:
        change_participant(
            obj, name=obj.name, kind=obj.kind, owner=obj.owner, organiser=user_of(request)
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
