"""The form of a challenge: its own fields, its scoring, and the settings of its scorer.

Fields have the names of the API, so that an error of a service appears at its field. The form
repeats no check of the services.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.conf import settings
from django.contrib.admin.widgets import AdminTextInputWidget
from django.core.files.uploadedfile import UploadedFile
from django.forms.utils import ErrorDict
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from leaderboard.admin.metric_choice import MetricChoice
from leaderboard.admin.text_fields import ReferenceFields
from leaderboard.forms.rank_rows import RankRows
from leaderboard.forms.schema_fields import form_field, typed_value
from leaderboard.forms.setting_fields import REST, ScorerSettings
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, ScoringConfig, User
from leaderboard.rules.json.untyped_dicts import FormValues, SentFields
from leaderboard.rules.plugins.entrypoints import InvalidEntrypoint, normalise_entrypoint
from leaderboard.schemas.challenges import PLAIN_FIELDS, NewChallenge
from leaderboard.schemas.scoring import SCORING_ROWS
from leaderboard.services.challenges.own_plugins import described_scorer
from leaderboard.services.errors import ServiceError
from leaderboard.services.plugins.descriptions import PluginDescription
from leaderboard.strategies import known_strategies

if TYPE_CHECKING:
    ModelForm = forms.ModelForm[Challenge]
else:
    ModelForm = forms.ModelForm

FIELDS: Final = NewChallenge.model_fields


def strategies_offered() -> list[tuple[str, str]]:
    """The strategies: keys, and their texts in the form."""
    return [
        (key, f"{translated(strategy.label)} – {translated(strategy.summary)}")
        for key, strategy in known_strategies().items()
    ]


TYPED_SCORING = tuple(name for name in SCORING_ROWS if name not in (REST, "rank_by"))
"""The fields of scoring with one form field each; the others have several."""
NO_SLUG = ("slug", "")


class ChallengeForm(ReferenceFields, MetricChoice, RankRows, ScorerSettings, ModelForm):
    """All fields of a challenge, made from the schema as on the pages of organisers."""

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
        start = {
            **_initial(instance, self.config_before),
            **self.initial_ranks(),
            **(initial or {}),
        }
        self.entrypoint = _normalised((start if data is None else data).get("scoring_entrypoint"))
        self.scorer: PluginDescription | None = (
            described_scorer(self.entrypoint, instance.pk if instance else None, now=True)
            if self.entrypoint
            else None
        )
        super().__init__(data, files, initial=start, instance=instance)
        self._add_schema_fields(is_new=instance is None)
        self.show_stored_references(instance)
        self.offer_metrics(user)
        self.add_ranks(AdminTextInputWidget({"list": "known-rank-keys", "spellcheck": "false"}))
        is_new = self.config_before is None or self.config_before.entrypoint != self.entrypoint
        schema = self.scorer.config_schema if self.scorer else None
        stored = None if is_new or self.config_before is None else self.config_before.config
        self.add_settings(self.entrypoint, schema or {}, stored)

    def clean(self) -> FormValues:
        super().clean()
        self.add_chosen(self.cleaned_data)
        return self.cleaned_data

    # The input, by the names of the API.

    def plain(self) -> SentFields:
        """The challenge's own fields. An empty slug is left out: it is made from the name."""
        typed = self.typed_values(PLAIN_FIELDS)
        return {name: value for name, value in typed.items() if (name, value) != NO_SLUG}

    def scoring(self) -> SentFields:
        strategy = self.cleaned_data.get("scoring_strategy", "")
        return {
            **self.typed_values(TYPED_SCORING),
            "scoring_config": self.config(),
            "rank_by": self.rank_by(strategy),
        }

    def typed_values(self, names: Iterable[str]) -> SentFields:
        """The input as JSON, or the default of the schema where it is empty."""
        cleaned = self.cleaned_data
        return {name: _or_default(name, cleaned[name]) for name in names if name in cleaned}

    def changes(self) -> SentFields:
        """Plain fields and those of scoring that differ from the newest scoring config.

        So a challenge can get a new description although its scorer no longer exists.
        """
        scoring = {
            name: value
            for name, value in self.scoring().items()
            if value != getattr(self.config_before, SCORING_ROWS[name])
        }
        if "scoring_plugin_id" in scoring:  # An id may stand for an entry point that is not typed.
            scoring["scoring_entrypoint"] = self.cleaned_data["scoring_entrypoint"]
        return {**self.plain(), **scoring}

    def metrics_to_check(self) -> list[Any]:
        """The metrics that a save checks; none if the scoring does not change."""
        fields = self.scoring() if self.config_before is None else self.changes()
        metrics: list[Any] = self.cleaned_data["metrics"] if {*fields} & {*SCORING_ROWS} else []
        return metrics

    # Errors.

    def refuse(self, refused: ServiceError) -> None:
        """Add the errors of a service to the fields that it names."""
        for path, texts in (refused.fields or {"": [refused.message]}).items():
            field = self._field_at(path)
            if field != path and path:
                texts = [f"{path}: {text}" for text in texts]
            self.add_error(field, list(texts))

    def forget_errors(self, *, but_of_scorer: bool = False) -> None:
        """Show the input without errors, or only with those of the scorer's fields."""
        kept = self.errors.items() if but_of_scorer else ()
        self._errors = ErrorDict(
            {name: error for name, error in kept if name in self.scorer_fields}
        )

    def _field_at(self, path: str) -> str | None:
        while path:
            for name in (path, f"{path}.0.key"):
                if name in self.fields:
                    return name
            path = path.rpartition(".")[0]
        return None

    # The fields.

    def _add_schema_fields(self, *, is_new: bool) -> None:
        for name in (*PLAIN_FIELDS, *TYPED_SCORING):
            self.fields[name] = form_field(FIELDS[name])
        self.fields["slug"].required = not is_new
        self.fields["scoring_strategy"].choices = strategies_offered()  # type: ignore[attr-defined]
        offered = {"list": "known-scorers", "spellcheck": "false"}
        self.fields["scoring_entrypoint"].widget.attrs.update(offered)

    @property
    def scorer_fields(self) -> list[str]:
        return ["scoring_entrypoint", "timeout_ms", *self.setting_fields]


def _or_default(name: str, typed: Any) -> Any:
    value = typed_value(FIELDS[name], typed)
    is_default = value in (None, "") and not FIELDS[name].is_required()
    return FIELDS[name].get_default(call_default_factory=True) if is_default else value


def _initial(challenge: Challenge | None, config: ScoringConfig | None) -> FormValues:
    names = (*PLAIN_FIELDS, *TYPED_SCORING)
    if challenge is None or config is None:
        defaults = {
            name: FIELDS[name].get_default(call_default_factory=True)
            for name in names
            if not FIELDS[name].is_required()
        }
        timeout_ms = settings.SCORER_TIMEOUT_MS
        return {**defaults, "scoring_strategy": "custom", "timeout_ms": timeout_ms}
    return {
        **{name: getattr(challenge, name) for name in PLAIN_FIELDS},
        **{name: getattr(config, SCORING_ROWS[name]) for name in TYPED_SCORING},
    }


def _normalised(entrypoint: Any) -> str:
    """The entry point in its normal form; unchanged if invalid, so that a service refuses it."""
    typed = str(entrypoint or "").strip()
    try:
        return normalise_entrypoint(typed) if typed else ""
    except InvalidEntrypoint:
        return ""
