"""The sections of the form for a phase, and the labels of its choices."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from leaderboard.forms.choice_labels import COUNTING
from leaderboard.pages.labels.limits import PER
from leaderboard.pages.labels.splits import FINAL
from leaderboard.pages.labels.visibility import ATTEMPTS, BOARD, NAMES, NOTES, SCORES
from leaderboard.schemas.fields import PhaseGroup, kind_of
from leaderboard.schemas.phase_fields import PhaseFields

FIELDS: Final = PhaseFields.model_fields
DATES: Final = [name for name, field in FIELDS.items() if kind_of(field).type is datetime]
SECTIONS: Final[Mapping[PhaseGroup, str | Promise]] = {
    "phase": "",
    "dates": gettext_lazy("When"),
    "limits": gettext_lazy("How many attempts"),
    "counted": gettext_lazy("Which attempts count"),
    "sight": gettext_lazy("Who sees what"),
}
"""The headings of the form."""
LABELS: Final[Mapping[str, Mapping[str, str | Promise]]] = {
    "attempts": ATTEMPTS,
    "board": BOARD,
    "counting": {"": gettext_lazy("As the scoring of the challenge says"), **COUNTING},
    "final_part": FINAL,
    "limits_per": PER,
    "names": NAMES,
    "notes": NOTES,
    "scores": SCORES,
}
"""The labels of choices, of those fields that do not have the general ones."""
