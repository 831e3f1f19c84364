"""The form for one phase of a challenge: its fields are those of the API."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from math import isfinite
from typing import Any, Final
from zoneinfo import ZoneInfo

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.models import Phase
from leaderboard.pages.counting_labels import COUNTING
from leaderboard.pages.sight_labels import (
    ATTEMPTS,
    BOARD,
    NAMES,
    NOTES,
    SCORES,
    choices_in,
)
from leaderboard.rules.local_times import ANYWHERE_ON_EARTH, known_zones, offsets_of
from leaderboard.rules.sight import SightSettings
from leaderboard.schemas.phases import written

DATES: Final = ("opens_at", "closes_at", "choose_until", "freezes_at", "reveals_at")
DIGITS: Final = 18
SWITCHES: Final = ("count_failed", "own_while_frozen", "scores_delayed", "overlaps")
LIMITS: Final = ("per_day", "per_week", "total", "at_once")
NUMBERS: Final = (*LIMITS, "counted")
VISIBILITIES: Final = SightSettings._fields


class DefaultedChoice(forms.ChoiceField):
    """A choice that the form always sends; without it, the first value holds."""

    has_default = True

    def __init__(self, **given: Any) -> None:
        super().__init__(required=False, **given)


class PhaseForm(forms.Form):
    """The service checks what is sent, so that errors are those of the API."""

    name = forms.CharField(label=gettext_lazy("Name"), required=False)
    slug = forms.CharField(
        label=gettext_lazy("Slug"),
        required=False,
        help_text=gettext_lazy(
            "Stands in addresses: lower-case letters, digits, hyphens. Empty: made from the name."
        ),
    )
    time_zone = forms.CharField(
        label=gettext_lazy("Time zone"),
        help_text=gettext_lazy("Of the dates below, and of the days and weeks of limits."),
    )
    opens_at = forms.CharField(
        label=gettext_lazy("Opens"),
        required=False,
        help_text=gettext_lazy("The first moment of the phase. Empty: it was always open."),
    )
    closes_at = forms.CharField(
        label=gettext_lazy("Closes"),
        required=False,
        help_text=gettext_lazy("The first moment after the phase. Empty: it never closes."),
    )
    freezes_at = forms.CharField(
        label=gettext_lazy("Freezes"),
        required=False,
        help_text=gettext_lazy(
            "From then on, the public sees the board as it was, and you see it as it is."
            " Empty: it never freezes."
        ),
    )
    reveals_at = forms.CharField(
        label=gettext_lazy("Revealed"),
        required=False,
        help_text=gettext_lazy("When the freeze ends. Empty: when you reveal the board."),
    )
    own_while_frozen = forms.BooleanField(
        label=gettext_lazy("While it is frozen, participants see their own results"),
        required=False,
    )
    overlaps = forms.BooleanField(
        label=gettext_lazy("Other phases may be open at the same time"),
        required=False,
        help_text=gettext_lazy("Then each attempt has to name its phase while several are open."),
    )
    per_day = forms.CharField(
        label=gettext_lazy("Per day"),
        required=False,
        widget=forms.NumberInput,
        help_text=gettext_lazy("Attempts of a participant on a calendar day."),
    )
    per_week = forms.CharField(
        label=gettext_lazy("Per week"),
        required=False,
        widget=forms.NumberInput,
        help_text=gettext_lazy("Attempts of a participant in a week, from Monday to Sunday."),
    )
    total = forms.CharField(
        label=gettext_lazy("In total"),
        required=False,
        widget=forms.NumberInput,
        help_text=gettext_lazy("Attempts of a participant in the whole phase."),
    )
    at_once = forms.CharField(
        label=gettext_lazy("At once"),
        required=False,
        widget=forms.NumberInput,
        help_text=gettext_lazy("Attempts of a participant that wait to be scored."),
    )
    count_failed = forms.BooleanField(
        label=gettext_lazy("Attempts that fail count towards the limits"), required=False
    )
    counting = DefaultedChoice(
        label=gettext_lazy("Which attempt counts"),
        choices=choices_in(COUNTING),
        help_text=gettext_lazy("Of each participant, for the board of this phase."),
    )
    counted = forms.CharField(
        label=gettext_lazy("How many"),
        required=False,
        widget=forms.NumberInput,
        help_text=gettext_lazy(
            "Attempts that a participant may choose, or whose mean counts. Empty: 3."
        ),
    )
    choose_until = forms.CharField(
        label=gettext_lazy("Choose until"),
        required=False,
        help_text=gettext_lazy("Empty: participants choose until the phase closes."),
    )
    board = DefaultedChoice(
        label=gettext_lazy("Who sees the board"),
        choices=choices_in(BOARD),
    )
    scores = DefaultedChoice(
        label=gettext_lazy("Whose scores readers see"),
        choices=choices_in(SCORES),
        help_text=gettext_lazy("Where scores are hidden, so are the board and its order."),
    )
    attempts = DefaultedChoice(
        label=gettext_lazy("Whose attempts readers can open"),
        choices=choices_in(ATTEMPTS),
    )
    names = DefaultedChoice(
        label=gettext_lazy("Names of participants"),
        choices=choices_in(NAMES),
        help_text=gettext_lazy("Participants always see their own name."),
    )
    notes = DefaultedChoice(
        label=gettext_lazy("Who sees notes and meta of attempts"),
        choices=choices_in(NOTES),
    )
    decimals = forms.CharField(
        label=gettext_lazy("Digits of scores after the point"),
        required=False,
        widget=forms.NumberInput,
        help_text=gettext_lazy(
            "0 to 10: everybody else sees rounded scores, and ranks of exact ones. Empty: exact."
        ),
    )
    least_coverage = forms.CharField(
        label=gettext_lazy("Least coverage"),
        required=False,
        widget=forms.NumberInput,
        help_text=gettext_lazy(
            "0 to 1, such as 0.9: an attempt that covers a smaller share of the tasks has no rank,"
            " and only you see its score."
        ),
    )
    scores_delayed = forms.BooleanField(
        label=gettext_lazy("Scores and the board are hidden until the phase has ended"),
        required=False,
    )

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
        self.fields["decimals"].widget.attrs |= {"min": 0, "max": 10}
        self.fields["least_coverage"].widget.attrs |= {"min": 0, "max": 1, "step": "any"}
        self._ask_for_offsets()

    def sent(self) -> dict[str, Any]:
        """The phase as the API would be sent it. Call it after `is_valid`."""
        given = dict(self.cleaned_data)
        moments = {name: self._moment(name) for name in DATES}
        names = (*NUMBERS, "decimals")
        numbers: dict[str, Any] = {name: whole_number(given[name]) for name in names}
        numbers["least_coverage"] = share_of(given["least_coverage"])
        plain = {name: given[name] for name in ("name", "time_zone", *SWITCHES)}
        plain |= {name: given[name] for name in VISIBILITIES if given[name]}
        plain["counting"] = given["counting"] or None
        slug = given["slug"] or slugify(given["name"])[:80].strip("-")
        return {"slug": slug, **plain, **moments, **numbers}

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
        order = [part for name in self.fields for part in (name, f"{name}_offset")]
        self.order_fields(list(dict.fromkeys(order)))


def _initial(phase: Phase | None) -> dict[str, Any]:
    if phase is None:
        return {"time_zone": "UTC", "count_failed": True, "own_while_frozen": True}
    texts = ("name", "slug", "time_zone", "counting", "decimals", "least_coverage")
    plain = (*texts, *SWITCHES, *NUMBERS)
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
        found = float(text)
    except ValueError:
        return text or None
    return found if isfinite(found) else text


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
