"""`/c/{slug}/manage/settings/`: the address of a challenge, who sees it and whether it is open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from leaderboard.forms.challenge_inputs import ChallengeInputs
from leaderboard.forms.setting_fields import REST
from leaderboard.models import Challenge
from leaderboard.pages.manage.admission import REVIEW_FIELDS
from leaderboard.pages.manage.changing import ChangeForm, change_view, state_of
from leaderboard.pages.manage.forms.form_section import FormSection
from leaderboard.pages.manage.forms.meta_rows import MetaRows
from leaderboard.pages.manage.forms.metrics_form import TEXT_TIMEOUT
from leaderboard.pages.manage.forms.rules_form import RANKING_FIELDS, SCORER_FIELDS, TEXT_FIELDS
from leaderboard.pages.manage.forms.tasks_form import LABEL_FIELDS, SAMPLE_FIELDS
from leaderboard.pages.manage.references import REFERENCE_FIELDS
from leaderboard.pages.manage.truth import TRUTH_FIELDS
from leaderboard.rules.json.stored import StoredMetaField
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.schemas.challenges import PLAIN_FIELDS
from leaderboard.schemas.scoring import SCORING_ROWS

ELSEWHERE: Final = frozenset(
    {
        *(
            *TEXT_FIELDS,
            "scoring_strategy",
            *RANKING_FIELDS,
            *SCORER_FIELDS,
            REST,
            "rank_by",
            "columns",
        ),
        *(
            "metrics",
            "text_metrics",
            TEXT_TIMEOUT,
            "tasks",
            "rewards",
            *SAMPLE_FIELDS,
            *LABEL_FIELDS,
        ),
        *(*REFERENCE_FIELDS, *TRUTH_FIELDS, *REVIEW_FIELDS),
        *("split", "program", "is_draft", "meta_fields"),
    }
)
"""The fields that other pages, or the rows of this page, ask for."""
OWN: Final = [
    "is_active",
    *(name for name in PLAIN_FIELDS if name not in ELSEWHERE | {"is_active"}),
]
OF_SCORING: Final = [name for name in SCORING_ROWS if name not in ELSEWHERE]
SECTIONS: Final[Mapping[str | Promise, Sequence[str]]] = {
    gettext_lazy("Who sees what"): (
        "visibility",
        "is_embeddable",
        "details_visibility",
        "config_visibility",
    ),
    gettext_lazy("The board"): ("saved_views", "folds_families", "medals", "votes_from"),
    gettext_lazy("Exports"): (
        "dataset",
        "dataset_url",
        "dataset_revision",
        "license",
        "organisation",
    ),
    gettext_lazy("Scoring"): ("on_code_change", "app_id", "workflow_id", *OF_SCORING, "rescore"),
}
"""The headings of the form, and the fields below them; other fields come first."""


class SettingsForm(MetaRows, ChallengeInputs, ChangeForm):
    """The fields of a challenge and of its scoring for which no other page asks."""

    def __init__(self, challenge: Challenge, data: QueryDict | None = None) -> None:
        self.challenge = challenge
        self.stored = {
            **{name: getattr(challenge, name) for name in OWN},
            **{name: getattr(challenge.newest, SCORING_ROWS[name]) for name in OF_SCORING},
            "meta_fields": _without_defaults(challenge.meta_fields),
        }
        super().__init__(data, initial={**self.stored, "state": state_of(challenge)})
        self.add_fields((*OWN, *OF_SCORING), choice=forms.RadioSelect)
        self.fields["slug"].required = True
        self.fields["slug"].help_text = gettext_lazy(
            "The part behind /c/. Links to the old address stop working."
        )
        self.add_meta_rows(challenge)

    def sections(self) -> Iterator[FormSection]:
        below_headings = {name for names in SECTIONS.values() for name in names}
        yield FormSection("", [self[name] for name in OWN if name not in below_headings])
        for title, names in SECTIONS.items():
            yield FormSection(title, [self[name] for name in names])

    def changes(self) -> SentFields:
        typed = self.typed_values((*OWN, *OF_SCORING))
        return self.changed_values({**typed, "meta_fields": self.meta_declared()})

    def filled_rows(self) -> Mapping[str, Sequence[int]]:
        return {"meta_fields": self.filled_meta()}


def _without_defaults(declared: Sequence[StoredMetaField]) -> list[SentFields]:
    """Declared fields as the form sends them: with their type, and nothing that is empty."""
    return [
        {part: value for part, value in {"type": "text", **field}.items() if value}
        for field in declared
    ]


manage_settings = change_view(
    "settings", lambda challenge, request, data: SettingsForm(challenge, data)
)
