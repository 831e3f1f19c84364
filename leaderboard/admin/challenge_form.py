"""The form of a challenge: its own fields, its scoring, and the settings of its scorer.

It is made of the classes of which the pages of organisers are made. Fields have the names of the
API, so that an error of a service appears at its field. The form repeats no check of the services.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.conf import settings
from django.contrib.admin.widgets import AdminTextInputWidget
from django.core.files.uploadedfile import UploadedFile
from django.forms.utils import ErrorDict
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from leaderboard.admin.stored_file import StoredReferenceFields
from leaderboard.forms.challenge_inputs import FIELDS, ChallengeInputs
from leaderboard.forms.errors import field_at
from leaderboard.forms.metric_choice import MetricChoice
from leaderboard.forms.rank_rows import RankRows
from leaderboard.forms.setting_fields import REST, ScorerSettings
from leaderboard.models import Challenge, ScoringConfig, User
from leaderboard.rules.json.untyped_dicts import FormValues, SentFields
from leaderboard.rules.plugins.entrypoints import InvalidEntrypoint, normalise_entrypoint
from leaderboard.schemas.challenges import PLAIN_FIELDS
from leaderboard.schemas.scoring import SCORING_ROWS
from leaderboard.services.challenges.fields import scoring_fields_of
from leaderboard.services.challenges.own_plugins import described_scorer
from leaderboard.services.errors import ServiceError
from leaderboard.services.plugins.descriptions import PluginDescription

if TYPE_CHECKING:
    ModelForm = forms.ModelForm[Challenge]
else:
    ModelForm = forms.ModelForm

TYPED_SCORING: Final = tuple(name for name in SCORING_ROWS if name not in (REST, "rank_by"))
"""The fields of scoring with one form field each; the others have several."""
METRIC_LISTS: Final[Sequence[str]] = ("metrics", "text_metrics")
NO_SLUG: Final = ("slug", "")
OFFERED_SCORERS: Final = {"list": "known-scorers", "spellcheck": "false"}
OFFERED_RANK_KEYS: Final = {"list": "known-rank-keys", "spellcheck": "false"}


class ChallengeForm(
    StoredReferenceFields, MetricChoice, RankRows, ScorerSettings, ChallengeInputs, ModelForm
):
    """All fields of a challenge on one page."""

    def __init__(
        self,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile[Any]] | None = None,
        *,
        initial: Mapping[str, object] | None = None,
        instance: Challenge | None = None,
        user: User | None = None,
    ) -> None:
        self.config_before = instance.newest if instance else None
        self.stored = _stored(instance, self.config_before)
        start = {**(self.stored or _defaults()), **self.initial_ranks(), **(initial or {})}
        del start[REST], start["rank_by"]
        self.entrypoint = _normalised((start if data is None else data).get("scoring_entrypoint"))
        self.scorer: PluginDescription | None = (
            described_scorer(self.entrypoint, instance.pk if instance else None, now=True)
            if self.entrypoint
            else None
        )
        super().__init__(data, files, initial=start, instance=instance)
        self.add_fields((*PLAIN_FIELDS, *TYPED_SCORING))
        self.fields["slug"].required = instance is not None
        self.fields["scoring_entrypoint"].widget.attrs.update(OFFERED_SCORERS)
        self.show_stored_references(instance)
        self.offer_metrics(user)
        self.add_ranks(AdminTextInputWidget(OFFERED_RANK_KEYS))
        is_new = self.stored.get("scoring_entrypoint") != self.entrypoint
        schema = self.scorer.config_schema if self.scorer else None
        self.add_settings(self.entrypoint, schema or {}, None if is_new else self.stored[REST])

    # The input, by the names of the API.

    def values(self) -> SentFields:
        """The fields of a new challenge. An empty slug is left out: it is made from the name."""
        typed = self.typed_values((*PLAIN_FIELDS, *TYPED_SCORING))
        lists = {name: typed[name] for name in METRIC_LISTS if name in typed}
        return {
            **{name: value for name, value in typed.items() if (name, value) != NO_SLUG},
            **self.with_chosen(lists),
            REST: self.config(),
            "rank_by": self.rank_by(self.cleaned_data.get("scoring_strategy", "")),
        }

    def changes(self) -> SentFields:
        """The fields that differ from the stored ones.

        So a challenge can get a new description although its scorer no longer exists.
        """
        changed = self.changed_values(self.values())
        if "scoring_plugin_id" in changed:  # An id may stand for an entry point that is not typed.
            changed["scoring_entrypoint"] = self.cleaned_data["scoring_entrypoint"]
        return changed

    def metrics_to_check(self) -> list[Any]:
        """The metrics that a save checks; none if the scoring does not change."""
        values = self.values()
        sent = self.changes() if self.stored else values
        metrics: list[Any] = values["metrics"] if {*sent} & {*SCORING_ROWS} else []
        return metrics

    # Errors.

    def refuse(self, refused: ServiceError) -> None:
        """Add the errors of a service to the fields that it names."""
        for path, texts in (refused.fields or {"": [refused.message]}).items():
            field = field_at(self, path)
            if field != path and path:
                texts = [f"{path}: {text}" for text in texts]
            self.add_error(field, list(texts))

    def forget_errors(self, *, but_of_scorer: bool = False) -> None:
        """Show the input without errors, or only with those of the scorer's fields."""
        kept = self.errors.items() if but_of_scorer else ()
        self._errors = ErrorDict(
            {name: error for name, error in kept if name in self.scorer_fields}
        )

    @property
    def scorer_fields(self) -> list[str]:
        return ["scoring_entrypoint", "timeout_ms", *self.setting_fields]


def _stored(challenge: Challenge | None, config: ScoringConfig | None) -> SentFields:
    """What the challenge has, by the names of the API; nothing of a new one."""
    if challenge is None or config is None:
        return {}
    plain = {name: getattr(challenge, name) for name in PLAIN_FIELDS}
    return {**plain, **scoring_fields_of(config)}


def _defaults() -> FormValues:
    fields = {name: field for name, field in FIELDS.items() if not field.is_required()}
    return {
        **{name: field.get_default(call_default_factory=True) for name, field in fields.items()},
        "scoring_strategy": "custom",
        "timeout_ms": settings.SCORER_TIMEOUT_MS,
    }


def _normalised(entrypoint: Any) -> str:
    """The entry point in its normal form; unchanged if invalid, so that a service refuses it."""
    typed = str(entrypoint or "").strip()
    try:
        return normalise_entrypoint(typed) if typed else ""
    except InvalidEntrypoint:
        return ""
