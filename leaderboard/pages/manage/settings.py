"""`/c/{slug}/manage/settings/`: the address of a challenge, who sees it and whether it is open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from leaderboard.forms.schema_fields import form_field, typed_value
from leaderboard.models import Challenge
from leaderboard.pages.manage.changing import ChangeForm, change_view, state_of
from leaderboard.pages.manage.forms.form_section import FormSection
from leaderboard.pages.manage.forms.meta_rows import MetaRows
from leaderboard.pages.manage.forms.rules_choices import Choices
from leaderboard.rules.json.stored import StoredMetaField
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.schemas.challenges import PLAIN_FIELDS, NewChallenge
from leaderboard.schemas.fields import kind_of

FIELDS: Final = NewChallenge.model_fields
ELSEWHERE: Final = frozenset(
    {
        *("name", "summary", "description", "goal", "values", "columns"),  # rules
        *("is_draft", "meta_fields", "references_visibility"),
        *("review", "decisions_needed", "reviewers_decide"),  # admission
        *("disclose", "evidence_visibility"),
    }
)
"""The fields that other pages, or the rows of this page, ask for."""
OWN: Final = [
    "is_active",
    *(name for name in PLAIN_FIELDS if name not in ELSEWHERE | {"is_active"}),
]
VISIBILITY: Final[Choices] = [
    ("public", gettext_lazy("Everyone")),
    ("unlisted", gettext_lazy("Everyone who knows the address: no list names it")),
    ("private", gettext_lazy("Members of its tenant, and people with a role in it")),
]
EVERYONE_OR_NOT: Final[Choices] = [
    ("public", gettext_lazy("Everyone who sees the challenge")),
    ("organiser", gettext_lazy("Organisers and reviewers")),
]
DETAILS: Final[Choices] = [
    ("auto", gettext_lazy("As the scorer says")),
    ("public", gettext_lazy("Everyone who sees the attempt")),
    ("participant", gettext_lazy("The participant, organisers and reviewers")),
    ("organiser", gettext_lazy("Organisers and reviewers")),
]
ON_CODE_CHANGE: Final[Choices] = [
    ("warn", gettext_lazy("Attempts are scored by the new code, and the board says so")),
    ("hold", gettext_lazy("Attempts wait until an organiser decides")),
    ("rescore", gettext_lazy("All attempts are scored again by the new code")),
]
VOTES_FROM: Final[Choices] = [
    ("nobody", gettext_lazy("Nobody")),
    ("organisers", gettext_lazy("Organisers send votes")),
    ("accounts", gettext_lazy("Accounts vote on a page, and organisers send votes")),
]
MEDALS: Final[Choices] = [
    ("none", gettext_lazy("None")),
    ("first_three", gettext_lazy("Gold, silver and bronze for the ranks 1, 2 and 3")),
    ("shares", gettext_lazy("For shares of the ranked rows, as on Kaggle")),
]
LABELS: Final[Mapping[str, Choices]] = {
    "config_visibility": EVERYONE_OR_NOT,
    "details_visibility": DETAILS,
    "medals": MEDALS,
    "on_code_change": ON_CODE_CHANGE,
    "visibility": VISIBILITY,
    "votes_from": VOTES_FROM,
}
PLUGIN_ID: Final = "scoring_plugin_id"
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
    gettext_lazy("Scoring"): ("on_code_change", "app_id", "workflow_id", PLUGIN_ID, "rescore"),
}
"""The headings of the form, and the fields below them; other fields come first."""


class SettingsForm(MetaRows, ChangeForm):
    """The fields of a challenge that are neither texts nor scoring."""

    def __init__(self, challenge: Challenge, data: QueryDict | None = None) -> None:
        self.challenge = challenge
        self.stored = {name: getattr(challenge, name) for name in OWN}
        self.stored[PLUGIN_ID] = challenge.newest.plugin_id
        super().__init__(data, initial={**self.stored, "state": state_of(challenge)})
        for name in self.stored:
            labels = dict(LABELS.get(name, ()))
            self.fields[name] = form_field(FIELDS[name], labels, choice=forms.RadioSelect)
        self.fields["slug"].required = True
        self.fields["slug"].help_text = gettext_lazy(
            "The part behind /c/. Links to the old address stop working."
        )
        self.add_meta_rows(challenge)
        self.describe()

    def sections(self) -> Iterator[FormSection]:
        below_headings = {name for names in SECTIONS.values() for name in names}
        yield FormSection("", [self[name] for name in OWN if name not in below_headings])
        for title, names in SECTIONS.items():
            yield FormSection(title, [self[name] for name in names])

    def changes(self) -> SentFields:
        typed = {name: self._typed(name) for name in self.stored}
        typed["meta_fields"] = self.meta_declared()
        stored = {**self.stored, "meta_fields": _without_defaults(self.challenge.meta_fields)}
        return {name: value for name, value in typed.items() if value != stored[name]}

    def _typed(self, name: str) -> object:
        """The input as JSON; a choice that was not made stays as it is."""
        value = typed_value(FIELDS[name], self.cleaned_data.get(name, ""))
        is_missing = value is None and not kind_of(FIELDS[name]).is_nullable
        return self.stored[name] if is_missing else value

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
