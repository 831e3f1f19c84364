"""The form for one phase of a challenge: its fields are those of the API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic.fields import FieldInfo

from leaderboard.forms.errors import FormWithSent
from leaderboard.forms.schema_fields import form_field, typed_value
from leaderboard.models import Phase
from leaderboard.pages.manage.forms.form_section import FormSection
from leaderboard.pages.manage.forms.phase_fields import DATES, FIELDS, LABELS, SECTIONS
from leaderboard.rules.json.untyped_dicts import FormValues, SentFields
from leaderboard.rules.texts.local_times import ANYWHERE_ON_EARTH, known_zones, offsets_of
from leaderboard.schemas.fields import group_of, row_names
from leaderboard.schemas.phase_fields import PhaseFields
from leaderboard.schemas.phases import written


class PhaseQuestion(NamedTuple):
    """A field that has to be filled in before the form is saved. facts: what to know before."""

    name: str
    field: forms.Field
    facts: Sequence[str]


class PhaseForm(FormWithSent):
    """The fields of `PhaseFields`. The service checks what is sent, as it does for the API."""

    asked: Sequence[PhaseQuestion] = ()

    def __init__(self, phase: Phase | None, data: QueryDict | None = None) -> None:
        self.phase = phase
        super().__init__(data, initial=_initial(phase))
        self.fields |= {name: form_field(field, LABELS.get(name)) for name, field in FIELDS.items()}
        self.fields["slug"].help_text = gettext_lazy(
            "Stands in addresses: lower-case letters, digits, hyphens. Empty: made from the name."
        )
        self.fields["time_zone"].required = True
        self.fields["time_zone"].widget = forms.Select(choices=_zones())
        for name in DATES:
            moment: datetime | None = getattr(phase, name, None)
            seconds = {"step": "1"} if moment and moment.second else {}
            widget = forms.TextInput(attrs={"type": "datetime-local", **seconds})
            self.fields[name].widget = widget
        self._ask_for_offsets()

    def sent(self) -> SentFields:
        """The phase as the API would be sent it. Call it after `is_valid`."""
        values = {name: self._value(name, field) for name, field in FIELDS.items()}
        values["slug"] = values["slug"] or slugify(self.cleaned_data["name"])[:80].strip("-")
        # What is not sent has its default.
        return {name: value for name, value in values.items() if value is not None}

    def _value(self, name: str, field: FieldInfo) -> Any:
        """The input as JSON; None if it is empty."""
        return self._moment(name) if name in DATES else typed_value(field, self.cleaned_data[name])

    def ask(self, questions: Sequence[PhaseQuestion]) -> None:
        """Show questions that have to be answered before the form is saved."""
        self.asked = questions
        self.fields.update({question.name: question.field for question in questions})

    def _moment(self, name: str) -> str | None:
        text: str = self.cleaned_data[name]
        stored: datetime | None = getattr(self.phase, name, None)
        if stored and not {name, f"{name}_offset", "time_zone"} & set(self.changed_data):
            return written(stored)  # The field shows no fraction of a second.
        return f"{text}{self.cleaned_data.get(f'{name}_offset', '')}" or None

    def _ask_for_offsets(self) -> None:
        """Ask which one is meant where the zone has a time twice, as clocks are set back."""
        for name in DATES:
            offsets = offsets_of(self[name].value() or "", self["time_zone"].value() or "")
            if offsets:
                self.fields[f"{name}_offset"] = forms.ChoiceField(
                    label=_which(name),
                    required=False,
                    choices=[("", "–"), *_named(offsets)],
                    initial=_offset(self.phase, name) if not self.is_bound else None,
                )

    def sections(self) -> Iterator[FormSection]:
        """The fields in groups; each date is followed by the question which time is meant."""
        if self.asked:
            yield FormSection("", [self[question.name] for question in self.asked], ())
        for at, (group, title) in enumerate(SECTIONS.items()):
            names = [name for name, field in FIELDS.items() if group_of(field) == group]
            every = (part for name in names for part in (name, f"{name}_offset"))
            fields = [self[name] for name in every if name in self.fields]
            errors: Iterable[Any] = () if at else self.non_field_errors()
            yield FormSection(title, fields, errors)


def _initial(phase: Phase | None) -> FormValues:
    if phase is None:
        return {name: field.default for name, field in FIELDS.items() if name != "slug"}
    plain = {name: getattr(phase, row) for name, row in row_names(PhaseFields).items()}
    return plain | {name: _local(phase, name) for name in DATES}


def _local(phase: Phase, name: str) -> str:
    """A date as the browser's field has it, in the zone of the phase."""
    moment: datetime | None = getattr(phase, name)
    if moment is None:
        return ""
    local = moment.astimezone(ZoneInfo(phase.time_zone)).replace(tzinfo=None)
    return local.isoformat(timespec="seconds" if local.second else "minutes")


def _offset(phase: Phase | None, name: str) -> str:
    """The offset of a stored date in the zone of the phase."""
    moment: datetime | None = getattr(phase, name, None)
    if phase is None or moment is None:
        return ""
    return moment.astimezone(ZoneInfo(phase.time_zone)).isoformat()[-6:]


def _which(name: str) -> str:
    return {
        "opens_at": _("Which of the two times it opens"),
        "closes_at": _("Which of the two times it closes"),
        "choose_until": _("Until which of the two times participants choose"),
        "freezes_at": _("Which of the two times it freezes"),
        "reveals_at": _("Which of the two times it is revealed"),
    }[name]


def _named(offsets: Sequence[str]) -> list[tuple[str, str]]:
    first, second = offsets
    return [
        (first, _("The first one, {offset}").format(offset=f"UTC{first}")),
        (second, _("The second one, {offset}").format(offset=f"UTC{second}")),
    ]


@cache
def _zones() -> list[tuple[str, str | Promise]]:
    """The choices of the zone, the common ones first."""
    first: list[tuple[str, str | Promise]] = [
        ("UTC", "UTC"),
        (ANYWHERE_ON_EARTH, gettext_lazy("Anywhere on Earth (UTC−12)")),
    ]
    common = {name for name, _label in first}
    return [*first, *((name, name) for name in sorted(known_zones() - common))]
