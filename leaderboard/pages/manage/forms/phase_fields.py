"""The fields of the form for a phase, with their texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from leaderboard.forms.errors import FormWithSent
from leaderboard.pages.labels.counting import COUNTING
from leaderboard.pages.labels.limits import PER
from leaderboard.pages.labels.splits import FINAL
from leaderboard.pages.labels.visibility import (
    ATTEMPTS,
    BOARD,
    NAMES,
    NOTES,
    SCORES,
    choices_in,
)
from leaderboard.rules.visibility.view import ViewSettings

DATES: Final = ("opens_at", "closes_at", "choose_until", "freezes_at", "reveals_at")
SWITCHES: Final = ("count_failed", "own_while_frozen", "scores_delayed", "overlaps", "face")
LIMITS: Final = ("per_day", "per_week", "total", "at_once")
NUMBERS: Final = (*LIMITS, "counted")
VISIBILITIES: Final = ViewSettings._fields

SECTIONS: Final[Sequence[tuple[str | Promise, Sequence[str]]]] = (
    ("", ("name", "slug", "face")),
    (
        gettext_lazy("When"),
        (
            *("time_zone", "opens_at", "closes_at", "grace_seconds", "overlaps"),
            *("freezes_at", "reveals_at", "own_while_frozen"),
        ),
    ),
    (gettext_lazy("How many attempts"), (*LIMITS, "limits_per", "count_failed")),
    (
        gettext_lazy("Which attempts count"),
        ("counting", "counted", "choose_until", "least_coverage", "final_part"),
    ),
    (
        gettext_lazy("Who sees what"),
        (*VISIBILITIES, "decimals", "least_improvement", "scores_delayed"),
    ),
)
"""The headings of the form, and the fields below each."""


class DefaultedChoice(forms.ChoiceField):
    """A choice that the form always sends; if it is absent, the first value applies."""

    has_default = True

    def __init__(self, **given: Any) -> None:
        super().__init__(required=False, **given)


class PhaseFieldsForm(FormWithSent):
    """The fields of a phase, by the names of the API; `SECTIONS` groups them."""

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
    grace_seconds = forms.CharField(
        label=gettext_lazy("Grace in seconds"),
        required=False,
        widget=forms.NumberInput,
        help_text=gettext_lazy(
            "An attempt that arrives so much later still counts. How long this server takes to"
            " answer never makes an attempt late. Empty: none."
        ),
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
    face = forms.BooleanField(
        label=gettext_lazy("The challenge shows this phase"),
        required=False,
        help_text=gettext_lazy(
            "Its board is the one of the challenge, from its opening on. Of several such phases,"
            " the open one is shown, else the one that closed last. Without any: the phase that"
            " closed last."
        ),
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
    limits_per = DefaultedChoice(
        label=gettext_lazy("For whom the limits count"),
        choices=choices_in(PER),
        help_text=gettext_lazy(
            "The attempts of a team also count for the team. With limits per name, an account may"
            " take part under several names where the challenge has no rules of registration."
        ),
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
    final_part = DefaultedChoice(
        label=gettext_lazy("Which tasks count at the end"),
        choices=choices_in(FINAL),
        help_text=gettext_lazy("Where some tasks of the challenge are private until then."),
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
            "0 to 10: everybody else sees rounded scores, and ranks are those of rounded ones."
            " Empty: exact."
        ),
    )
    least_improvement = forms.CharField(
        label=gettext_lazy("Least improvement"),
        required=False,
        widget=forms.NumberInput,
        help_text=gettext_lazy(
            "Such as 0.01: the board moves, and the score of an attempt is shown, only if it is"
            " better by so much than the score that counts. Empty: any improvement counts."
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
