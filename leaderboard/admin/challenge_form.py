"""The form of a challenge: its own fields, its scoring, and the settings of its scorer.

Fields have the names of the API, so that an error of a service appears at its field. The form
repeats no check of the services.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.forms.utils import ErrorDict
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.admin.metric_choice import MetricChoice
from leaderboard.admin.metric_fields import rank_key_field
from leaderboard.admin.schema_fields import describe, or_default, schema_field
from leaderboard.admin.text_fields import ReferenceFields
from leaderboard.forms.json_fields import StrictDecoder
from leaderboard.forms.setting_fields import REST, ScorerSettings
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, ScoringConfig, User
from leaderboard.rules.json.open_dicts import FormValues, SentFields
from leaderboard.rules.json.stored import SentRankKey, sent_rank_key
from leaderboard.rules.plugins.entrypoints import InvalidEntrypoint, normalise_entrypoint
from leaderboard.rules.ranking.places import MAX_KEYS
from leaderboard.rules.sortkey import PRECISION
from leaderboard.schemas.challenges import PLAIN_FIELDS
from leaderboard.schemas.scoring import SCORING_ROWS, ScoringFields
from leaderboard.services.challenges.own_plugins import described_scorer
from leaderboard.services.errors import ServiceError
from leaderboard.services.plugins.descriptions import PluginDescription
from leaderboard.strategies import known_strategies

if TYPE_CHECKING:
    ModelForm = forms.ModelForm[Challenge]
else:
    ModelForm = forms.ModelForm

MODEL_FIELDS = ("tenant", *PLAIN_FIELDS)
DIRECTIONS = [
    ("", gettext_lazy("the best first, as the metric says")),
    ("desc", gettext_lazy("highest first")),
    ("asc", gettext_lazy("lowest first")),
]


def strategies_offered() -> list[tuple[str, str]]:
    """The strategies: keys, and their texts in the form."""
    return [
        (key, f"{translated(strategy.label)} – {translated(strategy.summary)}")
        for key, strategy in known_strategies().items()
    ]


TYPED_SCORING = tuple(name for name in SCORING_ROWS if name not in (REST, "rank_by"))
"""The fields of scoring with one form field each; the others have several."""
NO_SLUG = ("slug", "")


class ChallengeForm(ReferenceFields, MetricChoice, ScorerSettings, ModelForm):
    def __init__(
        self,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile[Any]] | None = None,
        *,
        initial: Mapping[str, object] | None = None,
        instance: Challenge | None = None,
        user: User | None = None,
    ) -> None:
        self.before = instance.newest if instance else None
        start = {**_initial_scoring(self.before), **(initial or {})}
        self.entrypoint = _normalised((start if data is None else data).get("scoring_entrypoint"))
        self.scorer: PluginDescription | None = (
            described_scorer(self.entrypoint, instance.pk if instance else None, now=True)
            if self.entrypoint
            else None
        )
        super().__init__(data, files, initial=start, instance=instance)
        for field in self.fields.values():
            field.show_hidden_initial = False  # Nothing asks for the first value of a field.
            if isinstance(field, forms.JSONField):
                field.decoder = StrictDecoder
        self._add_schema_fields(is_new=instance is None)
        self.show_stored_references(instance)
        self.offer_metrics(user)
        self._add_rank_fields()
        is_new = self.before is None or self.before.entrypoint != self.entrypoint
        schema = self.scorer.config_schema if self.scorer else None
        stored = None if is_new or self.before is None else self.before.config
        self.add_settings(self.entrypoint, schema or {}, stored)

    def clean(self) -> FormValues:
        super().clean()
        self.add_chosen(self.cleaned_data)
        return self.cleaned_data

    # The input, by the names of the API.

    def plain(self) -> SentFields:
        """The challenge's own fields. An empty slug is left out: it is made from the name."""
        typed = self.cleaned_data
        names = [name for name in PLAIN_FIELDS if name in typed and (name, typed[name]) != NO_SLUG]
        return {name: or_default(name, typed[name]) for name in names}

    def scoring(self) -> SentFields:
        names = [name for name in TYPED_SCORING if name in self.cleaned_data]
        return {
            **{name: or_default(name, self.cleaned_data[name]) for name in names},
            "scoring_config": self.config(),
            "rank_by": self.rank_by(),
        }

    def changes(self) -> SentFields:
        """Plain fields and those of scoring that differ from the newest scoring config.

        So a challenge can get a new description although its scorer no longer exists.
        """
        scoring = {
            name: value
            for name, value in self.scoring().items()
            if value != getattr(self.before, SCORING_ROWS[name])
        }
        if "scoring_plugin_id" in scoring:  # An id may stand for an entry point that is not typed.
            scoring["scoring_entrypoint"] = self.cleaned_data["scoring_entrypoint"]
        return {**self.plain(), **scoring}

    def metrics_to_check(self) -> list[Any]:
        """The metrics that a save checks; none if the scoring does not change."""
        fields = self.scoring() if self.before is None else self.changes()
        metrics: list[Any] = self.cleaned_data["metrics"] if {*fields} & {*SCORING_ROWS} else []
        return metrics

    def rank_by(self) -> Sequence[SentRankKey]:
        """The typed keys. A strategy with its own order keeps the decimals that it had."""
        strategy = self.cleaned_data.get("scoring_strategy", "")
        known_strategy = known_strategies().get(strategy)
        if known_strategy is None or known_strategy.keys:
            return self.before.rank_by if self.before and self.before.strategy == strategy else []
        rows = ([self.cleaned_data.get(name) for name in names] for names in self.rank_fields)
        return [sent_rank_key(key, direction, decimals) for key, direction, decimals in rows if key]

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
        """Add the fields of scoring, and describe the model's own fields by the schema."""
        for name in TYPED_SCORING:
            self.fields[name] = schema_field(name)
        for name in PLAIN_FIELDS:
            describe(name, self.fields[name])
        self.fields["slug"].required = not is_new
        self.fields["scoring_strategy"].choices = strategies_offered()  # type: ignore[attr-defined]
        offered = {"list": "known-scorers", "spellcheck": "false"}
        self.fields["scoring_entrypoint"].widget.attrs.update(offered)

    @property
    def scorer_fields(self) -> list[str]:
        return ["scoring_entrypoint", "timeout_ms", *self.setting_fields]

    @property
    def rank_fields(self) -> list[tuple[str, str, str]]:
        return [
            (f"rank_by.{row}.key", f"rank_by.{row}.direction", f"rank_by.{row}.decimals")
            for row in range(MAX_KEYS)
        ]

    def _add_rank_fields(self) -> None:
        for row, (key, direction, decimals) in enumerate(self.rank_fields):
            self.fields[key] = rank_key_field(_("Rank key {number}").format(number=row + 1))
            self.fields[direction] = forms.ChoiceField(
                label=_("Order"), choices=DIRECTIONS, required=False
            )
            self.fields[decimals] = forms.IntegerField(
                label=_("Decimals compared"), required=False, min_value=0, max_value=PRECISION
            )


def _initial_scoring(config: ScoringConfig | None) -> FormValues:
    if config is None:
        defaults = {name: ScoringFields.model_fields[name].default for name in TYPED_SCORING}
        timeout_ms = settings.SCORER_TIMEOUT_MS
        return {**defaults, "scoring_strategy": "custom", "timeout_ms": timeout_ms}
    initial = {name: getattr(config, SCORING_ROWS[name]) for name in TYPED_SCORING}
    for row, key in enumerate(config.rank_by):
        initial |= {f"rank_by.{row}.{part}": value for part, value in key.items()}
    return initial


def _normalised(entrypoint: Any) -> str:
    """The entry point in its normal form; unchanged if invalid, so that a service refuses it."""
    typed = str(entrypoint or "").strip()
    try:
        return normalise_entrypoint(typed) if typed else ""
    except InvalidEntrypoint:
        return ""
