"""The layout of a challenge's form: by the groups of the schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from leaderboard.admin.challenge_form import ChallengeForm
from leaderboard.admin.stored_file import FORGET, STORED
from leaderboard.forms.setting_fields import SETTINGS_OF
from leaderboard.rules.json.untyped_dicts import FieldOptions
from leaderboard.schemas.challenges import NewChallenge
from leaderboard.schemas.fields import FieldGroup, group_of, grouped

Fieldset = tuple[str | None, FieldOptions]
FieldsetLine = str | tuple[str, ...]

GROUPS: Final[dict[FieldGroup, tuple[str | Promise | None, list[str]]]] = {
    "challenge": (None, []),
    "context": (gettext_lazy("Context of the scorer, columns"), ["collapse"]),
    "admission": (gettext_lazy("Review of attempts"), ["collapse"]),
    "scoring": (gettext_lazy("How attempts are scored"), []),
    "samples": (gettext_lazy("Metrics and tasks"), []),
    "outputs": (gettext_lazy("Outputs of models"), []),
    "predictions": (gettext_lazy("Predictions"), []),
    "ranked": (gettext_lazy("Ranked by"), ["for-metric"]),
    "scorer": (gettext_lazy("Scorer"), ["for-custom"]),
    "settings": (gettext_lazy("Settings of the scorer"), ["for-custom"]),
}
"""The title of each group, and its classes."""

LINES: Final = (
    ("visibility", "details_visibility", "config_visibility"),
    ("app_id", "workflow_id"),
    ("num_samples", "min_coverage", "unknown_tasks"),
    ("judged_rewards", "labels_per_attempt", "labels_seed"),
)
"""Fields that share a line."""

AFTER: Final = {
    "metrics": ("metrics_chosen", "metrics_k"),
    "text_metrics": ("text_metrics_chosen",),
    "text_timeout_ms": ("references", STORED, FORGET, "references_release"),
    "timeout_ms": (SETTINGS_OF,),
}
"""Fields of the form alone, by the field of the schema that they follow."""


def fieldsets_of(form: ChallengeForm) -> list[Fieldset]:
    """The fields in their groups; the last are the settings of the scorer, if it has any."""
    fieldsets = [
        (title, {"fields": _fields(group, form), "classes": classes})
        for group, (title, classes) in GROUPS.items()
    ]
    return [
        (None if title is None else str(title), options)
        for title, options in fieldsets
        if options["fields"]
    ]


def _fields(group: FieldGroup, form: ChallengeForm) -> Sequence[FieldsetLine | Sequence[str]]:
    if group == "ranked":
        return form.rank_rows
    if group == "settings":
        return form.setting_fields
    tenant = ["tenant"] if group == "challenge" else []
    return [*tenant, *_lines(group, form)]


def _lines(group: FieldGroup, form: ChallengeForm) -> Iterator[FieldsetLine]:
    for name, field in grouped(NewChallenge):
        if group_of(field) != group:
            continue
        line = next((line for line in LINES if name in line), None)
        if line is None:
            yield name
        elif line[0] == name:
            yield line
        yield from (field for field in AFTER.get(name, ()) if field in form.fields)
