"""Grants in the admin: extra attempts for one participant, with a reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import ValidationError
from django.db.models import ForeignKey, QuerySet
from django.forms import ModelChoiceField
from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from leaderboard.admin.scoped import TenantFilter, TenantScoped, organised_ids, user_of
from leaderboard.forms.errors import FormWithSent
from leaderboard.models import Grant, Phase
from leaderboard.rules.json.untyped_dicts import FormValues
from leaderboard.rules.texts.quoting import sent
from leaderboard.services.competition.quotas.grants import grant_for_log, record_grant, take_back

if TYPE_CHECKING:
    ModelForm = forms.ModelForm[Grant]
else:
    ModelForm = forms.ModelForm

MOST_DIGITS: Final = 18
"""Longer numbers may be too large for the database."""


class GrantForm(FormWithSent, ModelForm):
    # A required list of choices begins with an empty one, which the search for participants lacks.
    use_required_attribute = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        date, time = self.fields["until"].widget.widgets
        date.attrs["aria-label"], time.attrs["aria-label"] = _("Date"), _("Time")

    def clean(self) -> FormValues:
        """Refuse a participant of another tenant."""
        fields: FormValues = super().clean() or {}
        phase, participant = fields.get("phase"), fields.get("participant")
        if phase and participant and phase.challenge.tenant_id != participant.tenant_id:
            text = _("must be a participant of the same tenant; got {sent}")
            raise ValidationError({"participant": text.format(sent=sent(participant.handle))})
        return fields


class PhaseField(ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Phase) -> str:
        return f"{obj.challenge.name}: {obj}"


class ParticipantSelect(AutocompleteSelect):
    """A choice that is empty if the value is not an id. Django's widget would fail then."""

    def optgroups(self, name: str, value: Sequence[str], attr: Any = None) -> Any:
        ids = [pk for pk in value if pk.isdecimal() and len(pk) <= MOST_DIGITS]
        return super().optgroups(name, ids, attr)


@admin.register(Grant)
class GrantAdmin(TenantScoped):
    tenant_path = "phase__challenge__tenant"
    form = GrantForm
    fields = ["phase", "participant", "extra", "until", "reason"]
    autocomplete_fields = ["participant"]
    list_display = ["participant", "phase", "extra", "until", "reason", "given_by", "given_at"]
    list_filter = [TenantFilter]
    list_select_related = ["participant", "phase", "given_by"]
    search_fields = ["participant__handle", "reason"]

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        if db_field.name == "phase":
            mine = Phase.objects.filter(challenge__tenant__in=organised_ids(request))
            phases = mine.select_related("challenge").order_by("challenge__name", "position")
            return PhaseField(phases, label=capfirst(db_field.verbose_name))
        if db_field.name == "participant":
            kwargs["widget"] = ParticipantSelect(db_field, self.admin_site)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Grant, form: Any, change: bool) -> None:
        before = None
        if change:
            before = grant_for_log(Grant.objects.select_related("phase").get(pk=obj.pk))
        else:
            obj.given_by = user_of(request)
        super().save_model(request, obj, form, change)
        record_grant(obj, by=user_of(request), before=before)

    def delete_model(self, request: HttpRequest, obj: Grant) -> None:
        take_back(obj, by=user_of(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Grant]) -> None:
        for grant in queryset.select_related("phase", "participant"):
            take_back(grant, by=user_of(request))
