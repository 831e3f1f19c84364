"""`/c/{slug}/manage/settings/`: the address of a challenge, who sees it and whether it is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.models import Challenge
from leaderboard.pages.manage.changing import ChangeForm, change_page, state_of
from leaderboard.pages.manage.forms.meta_rows import MetaRows
from leaderboard.pages.manage.forms.rules_choices import Choices
from leaderboard.pages.shared.access import organised_or_404
from leaderboard.rules.json.open_dicts import SentFields
from leaderboard.rules.json.stored import StoredMetaField

OWN: Final = (
    "is_active",
    "slug",
    "visibility",
    "is_embeddable",
    "config_visibility",
    "details_visibility",
    "on_code_change",
    "app_id",
    "workflow_id",
)
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
PLUGIN_ID: Final = "scoring_plugin_id"


class SettingsForm(MetaRows, ChangeForm):
    """The fields of a challenge that are neither texts nor scoring."""

    is_active = forms.BooleanField(
        label=gettext_lazy("The challenge takes attempts"),
        required=False,
        help_text=gettext_lazy("Otherwise it is closed, whatever the dates of its phases."),
    )
    slug = forms.CharField(
        label=gettext_lazy("Address"),
        help_text=gettext_lazy("The part behind /c/. Links to the old address stop working."),
    )
    visibility = forms.ChoiceField(
        label=gettext_lazy("Who sees the challenge"),
        choices=VISIBILITY,
        widget=forms.RadioSelect,
    )
    is_embeddable = forms.BooleanField(
        label=gettext_lazy("Other sites may show the board in a frame"),
        required=False,
        help_text=gettext_lazy(
            "The first rows, as anyone sees them, at an address of its own. No other page can be"
            " framed."
        ),
    )
    config_visibility = forms.ChoiceField(
        label=gettext_lazy("Who sees the settings of the scorer and of metrics"),
        choices=EVERYONE_OR_NOT,
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "The text of scripts is one of them. Details of scores can reveal settings, too."
        ),
    )
    details_visibility = forms.ChoiceField(
        label=gettext_lazy("Who sees the details of scores"),
        choices=DETAILS,
        widget=forms.RadioSelect,
    )
    on_code_change = forms.ChoiceField(
        label=gettext_lazy("When the code of the scorer or of a metric changes"),
        choices=ON_CODE_CHANGE,
        widget=forms.RadioSelect,
    )
    app_id = forms.CharField(required=False)
    workflow_id = forms.CharField(required=False)
    scoring_plugin_id = forms.CharField(required=False)

    def __init__(self, challenge: Challenge, data: QueryDict | None = None) -> None:
        self.challenge = challenge
        self.stored = {name: getattr(challenge, name) for name in OWN}
        self.stored[PLUGIN_ID] = challenge.newest.plugin_id
        super().__init__(data, initial={**self.stored, "state": state_of(challenge)})
        self.add_meta_rows(challenge)
        self.describe()

    @property
    def parts(self) -> list[forms.BoundField]:
        return [self[name] for name in (*OWN, PLUGIN_ID, "rescore")]

    def changes(self) -> SentFields:
        typed = {name: self.cleaned_data.get(name) for name in self.stored}
        typed["meta_fields"] = self.meta_declared()
        stored = {**self.stored, "meta_fields": _without_defaults(self.challenge.meta_fields)}
        return {name: value for name, value in typed.items() if value != stored[name]}

    def filled_rows(self) -> Mapping[str, Sequence[int]]:
        return {"meta_fields": self.filled_meta()}


def _without_defaults(declared: Sequence[StoredMetaField]) -> list[SentFields]:
    """Declared fields as the form sends them: with their type, and nothing that is empty."""
    return [
        {part: value for part, value in {"type": "text", **field}.items() if value}
        for field in declared
    ]


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_settings(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = organised_or_404(request, slug)
    data = request.POST if request.method == "POST" else None
    return change_page(request, challenge, lambda: SettingsForm(challenge, data), part="settings")
