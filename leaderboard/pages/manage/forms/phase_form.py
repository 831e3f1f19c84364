"""The form for one phase of a challenge: its fields are those of the API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from math import isfinite
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from django import forms
from django.forms.boundfield import BoundField
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.models import Phase
from leaderboard.pages.manage.forms.phase_fields import (
    DATES,
    NUMBERS,
    SECTIONS,
    SWITCHES,
    VISIBILITIES,
    PhaseFieldsForm,
)
from leaderboard.rules.json.open_dicts import FormValues, SentFields
from leaderboard.rules.texts.local_times import ANYWHERE_ON_EARTH, known_zones, offsets_of
from leaderboard.schemas.phases import MOST_GRACE, written

DIGITS: Final = 18


@dataclass(frozen=True, slots=True)
class FormSection:
    """Some fields below a heading, in the form of the template of forms."""

    title: str | Promise
    fields: Sequence[BoundField]
    non_field_errors: Iterable[Any]

    def __iter__(self) -> Iterator[BoundField]:
        return iter(self.fields)


class PhaseQuestion(NamedTuple):
    """A field that has to be filled in before the form is saved. facts: what to know before."""

    name: str
    field: forms.Field
    facts: Sequence[str]


class PhaseForm(PhaseFieldsForm):
    """The service checks what is sent, so that errors are those of the API."""

    asked: Sequence[PhaseQuestion] = ()

    def __init__(self, phase: Phase | None, data: QueryDict | None = None) -> None:
        self.phase = phase
        super().__init__(data, initial=_initial(phase))
        self.fields["time_zone"].widget = forms.Select(choices=_zones())
        for name in DATES:
            moment: datetime | None = getattr(phase, name, None)
            seconds = {"step": "1"} if moment and moment.second else {}
            widget = forms.TextInput(attrs={"type": "datetime-local", **seconds})
            self.fields[name].widget = widget
        for name in NUMBERS:
            self.fields[name].widget.attrs["min"] = 1
        self.fields["grace_seconds"].widget.attrs |= {"min": 0, "max": MOST_GRACE}
        self.fields["decimals"].widget.attrs |= {"min": 0, "max": 10}
        self.fields["least_coverage"].widget.attrs |= {"min": 0, "max": 1, "step": "any"}
        self.fields["least_improvement"].widget.attrs |= {"min": 0, "step": "any"}
        self._ask_for_offsets()

    def sent(self) -> SentFields:
        """The phase as the API would be sent it. Call it after `is_valid`."""
        given = dict(self.cleaned_data)
        moments = {name: self._moment(name) for name in DATES}
        names = (*NUMBERS, "decimals")
        numbers: SentFields = {name: whole_number(given[name]) for name in names}
        numbers["grace_seconds"] = whole_number(given["grace_seconds"]) or 0
        numbers["least_coverage"] = share_of(given["least_coverage"])
        numbers["least_improvement"] = share_of(given["least_improvement"])
        plain = {name: given[name] for name in ("name", "time_zone", *SWITCHES)}
        plain |= {name: given[name] for name in VISIBILITIES if given[name]}
        if given["limits_per"]:
            plain["limits_per"] = given["limits_per"]
        plain["counting"] = given["counting"] or None
        slug = given["slug"] or slugify(given["name"])[:80].strip("-")
        return {"slug": slug, **plain, **moments, **numbers}

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
        for at, (title, names) in enumerate(SECTIONS):
            every = (part for name in names for part in (name, f"{name}_offset"))
            fields = [self[name] for name in every if name in self.fields]
            errors: Iterable[Any] = () if at else self.non_field_errors()
            yield FormSection(title, fields, errors)


def _initial(phase: Phase | None) -> FormValues:
    if phase is None:
        return {"time_zone": "UTC", "count_failed": True, "own_while_frozen": True}
    withheld = ("decimals", "least_coverage", "least_improvement")
    texts = ("name", "slug", "time_zone", "limits_per", "counting", *withheld)
    plain = (*texts, *SWITCHES, *NUMBERS, "grace_seconds")
    moments = {name: _local(phase, name) for name in DATES}
    return {name: getattr(phase, name) for name in plain} | moments | phase.sight._asdict()


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


def whole_number(text: str) -> int | str | None:
    """A limit; a text that is no number is refused by the service."""
    is_whole = text.isascii() and text.isdigit() and len(text) <= DIGITS
    return int(text) if is_whole else text or None


def share_of(text: str) -> float | str | None:
    """A share; a text that is no number is refused by the service."""
    try:
        share = float(text)
    except ValueError:
        return text or None
    return share if isfinite(share) else text


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
