"""The form of a challenge: what it is, how it is scored, and the settings of its scorer.

The names of the fields are those of the API, so that what a verb refuses lands where it belongs.
Nothing is judged here that a verb judges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib.admin.widgets import AdminTextInputWidget
from django.core.files.uploadedfile import UploadedFile
from django.forms.utils import ErrorDict
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from leaderboard.admin.config_fields import REST, config_fields, initial_value, name_of
from leaderboard.admin.metric_choice import MetricChoice
from leaderboard.admin.metric_fields import MetricFields, rank_key_field
from leaderboard.admin.text_fields import TextFields
from leaderboard.models import Challenge, ScoringConfig, User
from leaderboard.rules.entrypoints import InvalidEntrypoint, normalise_entrypoint
from leaderboard.rules.ranking import MAX_KEYS
from leaderboard.rules.sortkey import PRECISION
from leaderboard.services.challenges.challenges import PLAIN_FIELDS, SCORING_FIELDS
from leaderboard.services.errors import ServiceError
from leaderboard.services.evaluation.text_fields import DEFAULT_TIMEOUT_MS
from leaderboard.services.plugins.descriptions import PluginDescription, described
from leaderboard.strategies import known_strategies

if TYPE_CHECKING:
    ModelForm = forms.ModelForm[Challenge]
else:
    ModelForm = forms.ModelForm

MODEL_FIELDS = ("tenant", *PLAIN_FIELDS)
DIRECTIONS = [("desc", "highest first"), ("asc", "lowest first")]


def strategies_offered() -> list[tuple[str, str]]:
    """Keys and what the form says of them."""
    return [(key, f"{each.label} – {each.summary}") for key, each in known_strategies().items()]


SETTINGS_OF = "settings_of"
"""Hidden: the entry point whose settings the page showed, to notice when another was typed."""


class ChallengeForm(MetricFields, TextFields, MetricChoice, ModelForm):
    scoring_strategy = forms.ChoiceField(label="Strategy", choices=strategies_offered)
    counting = forms.ChoiceField(
        label="Counting",
        choices=ScoringConfig.Counting.choices,
        help_text="Which attempt of a participant stands on the board.",
    )
    only_succeeded = forms.BooleanField(
        label="Only succeeded attempts are ranked",
        required=False,
        help_text="The strategies first to highest rating do so in any case.",
    )
    scoring_entrypoint = forms.CharField(
        label="Scorer",
        required=False,
        widget=AdminTextInputWidget(attrs={"list": "known-scorers", "spellcheck": "false"}),
        help_text="package.module:Class. The files in scorers/ are offered.",
    )
    scoring_plugin_id = forms.CharField(
        label="Plugin id",
        required=False,
        max_length=120,
        widget=AdminTextInputWidget,
        help_text="A name of your own for the scorer, shown by the API.",
    )
    timeout_ms = forms.IntegerField(
        label="Time limit", help_text="Milliseconds that scoring one attempt may take."
    )
    settings_of = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile[Any]] | None = None,
        *,
        initial: Mapping[str, Any] | None = None,
        instance: Challenge | None = None,
        user: User | None = None,
    ) -> None:
        self.before = instance.newest if instance else None
        start = {**_initial_scoring(self.before), **(initial or {})}
        self.entrypoint = _normalised((start if data is None else data).get("scoring_entrypoint"))
        self.scorer: PluginDescription | None = (
            described(self.entrypoint, now=True) if self.entrypoint else None
        )
        initial = {**start, SETTINGS_OF: self.entrypoint}
        super().__init__(data, files, initial=initial, instance=instance)
        if instance is None:
            self.fields["slug"].required = False
            self.fields["slug"].help_text = "Stands in addresses. Empty: made from the name."
        self.say_what_is_held(instance)
        self.offer_metrics(user)
        self._add_rank_fields()
        self._add_settings()
        if data is not None and data.get(SETTINGS_OF, "") != self.entrypoint:
            self.data = self._with_settings(data)

    def clean(self) -> dict[str, Any]:
        super().clean()
        self.add_chosen(self.cleaned_data)
        return self.cleaned_data

    # What was typed, by the names of the API.

    def plain(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in PLAIN_FIELDS if name in self.cleaned_data}

    def scoring(self) -> dict[str, Any]:
        names = [name for name in SCORING_FIELDS if name in self.cleaned_data and name != REST]
        return {
            **{name: self.cleaned_data[name] for name in names},
            "scoring_config": self.config(),
            "rank_by": self.rank_by(),
        }

    def changes(self) -> dict[str, Any]:
        """Plain fields and those of scoring that differ from the newest scoring config.

        A challenge whose scorer is gone can so be described anew without asking for the scorer.
        """
        scoring = {
            name: value
            for name, value in self.scoring().items()
            if value != getattr(self.before, SCORING_FIELDS[name])
        }
        if "scoring_plugin_id" in scoring:  # An id may stand for an entry point that is not typed.
            scoring["scoring_entrypoint"] = self.cleaned_data["scoring_entrypoint"]
        return {**self.plain(), **scoring}

    def metrics_to_check(self) -> list[Any]:
        """The metrics that a save looks at: none where nothing of the scoring changes."""
        fields = self.scoring() if self.before is None else self.changes()
        metrics: list[Any] = self.cleaned_data["metrics"] if {*fields} & {*SCORING_FIELDS} else []
        return metrics

    def config(self) -> dict[str, Any]:
        """The scorer's config. Of an old one only what was changed is touched, so that looking
        at settings that were left to their defaults does not make a new version."""
        config: dict[str, Any] = dict(self.cleaned_data.get(REST) or {})
        for key in self.config_keys:
            name = name_of(key)
            if self.is_new_scorer or name in self.changed_data:
                value = self.cleaned_data.get(name)
                config |= {} if value in (None, "") else {key: value}
            elif key in self.stored:
                config[key] = self.stored[key]
        return config

    def rank_by(self) -> list[dict[str, Any]]:
        """The typed keys. A strategy with its own order keeps the decimals that it had."""
        strategy = self.cleaned_data.get("scoring_strategy", "")
        known = known_strategies().get(strategy)
        if known is None or known.keys:
            return self.before.rank_by if self.before and self.before.strategy == strategy else []
        rows = ([self.cleaned_data.get(name) for name in names] for names in self.rank_fields)
        return [
            {"key": key, "direction": direction or "desc"}
            | ({} if decimals is None else {"decimals": decimals})
            for key, direction, decimals in rows
            if key
        ]

    # Errors.

    def refuse(self, refused: ServiceError) -> None:
        """Put what a verb refused on the fields it names."""
        for path, texts in (refused.fields or {"": [refused.message]}).items():
            field = self._field_at(path)
            if field != path and path:
                texts = [f"{path}: {text}" for text in texts]
            self.add_error(field, list(texts))

    def forget_errors(self, *, but_of_scorer: bool = False) -> None:
        """Show what was typed without judging it, or judging only what a scorer needs."""
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

    @property
    def is_new_scorer(self) -> bool:
        return self.before is None or self.before.entrypoint != self.entrypoint

    @property
    def scorer_fields(self) -> list[str]:
        return ["scoring_entrypoint", "timeout_ms", *self.setting_fields]

    @property
    def setting_fields(self) -> list[str]:
        return [name for name in self.fields if name.partition(".")[0] == REST]

    @property
    def rank_fields(self) -> list[tuple[str, str, str]]:
        return [
            (f"rank_by.{row}.key", f"rank_by.{row}.direction", f"rank_by.{row}.decimals")
            for row in range(MAX_KEYS)
        ]

    def _add_rank_fields(self) -> None:
        for row, (key, direction, decimals) in enumerate(self.rank_fields):
            self.fields[key] = rank_key_field("By" if row == 0 else "then by")
            self.fields[direction] = forms.ChoiceField(
                label="the", choices=DIRECTIONS, required=False
            )
            self.fields[decimals] = forms.IntegerField(
                label="to decimals", required=False, min_value=0, max_value=PRECISION
            )

    def _add_settings(self) -> None:
        self.stored: dict[str, Any] = {}
        self.config_keys: list[str] = []
        if not self.entrypoint:
            return
        if self.before and not self.is_new_scorer:
            self.stored = self.before.config
        found = config_fields(self.scorer, self.stored)
        self.config_keys = [key for key in found if key != REST]
        for key, field in found.items():
            self.fields[REST if key == REST else name_of(key)] = field
        for key in self.config_keys:
            if key in self.stored:
                self.initial[name_of(key)] = initial_value(found[key], self.stored[key])
        if rest := {key: each for key, each in self.stored.items() if key not in self.config_keys}:
            self.initial[REST] = rest

    def _with_settings(self, data: QueryDict) -> QueryDict:
        """As if the page had shown the settings of the scorer that was typed into it."""
        data = data.copy()
        data[SETTINGS_OF] = self.entrypoint
        for name in self.setting_fields:
            field = self.fields[name]
            value = field.prepare_value(self.get_initial_for_field(field, name))
            data.pop(name, None)
            if value not in (None, False):
                data[name] = "on" if value is True else str(value)
        return data


def _initial_scoring(config: ScoringConfig | None) -> dict[str, Any]:
    if config is None:
        return {
            "scoring_strategy": "custom",
            "counting": ScoringConfig.Counting.BEST,
            "timeout_ms": settings.SCORER_TIMEOUT_MS,
            "text_timeout_ms": DEFAULT_TIMEOUT_MS,
        }
    initial = {name: getattr(config, row) for name, row in SCORING_FIELDS.items() if name != REST}
    for row, key in enumerate(initial.pop("rank_by")):
        initial |= {f"rank_by.{row}.{part}": value for part, value in key.items()}
    return initial


def _normalised(entrypoint: Any) -> str:
    """The entry point under its own name; as typed if it is none, for the verb to refuse."""
    typed = str(entrypoint or "").strip()
    try:
        return normalise_entrypoint(typed) if typed else ""
    except InvalidEntrypoint:
        return ""
