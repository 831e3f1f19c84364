"""The form on which organisers change the texts, the scoring and the columns of a challenge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.form_errors import FormWithSent
from leaderboard.models import Challenge, User
from leaderboard.pages.manage.rules_choices import (
    COUNTING,
    DIRECTIONS,
    column_choices,
    rank_choices,
    scorer_choices,
    strategies,
)
from leaderboard.rules.ranking import MAX_KEYS
from leaderboard.rules.sortkey import PRECISION
from leaderboard.rules.strict_json import canonical
from leaderboard.schemas.challenges import NewChallenge
from leaderboard.services.challenges.fields import scoring_fields_of
from leaderboard.services.errors import ServiceError
from leaderboard.services.plugins.descriptions import described
from leaderboard.setting_fields import REST, SETTINGS_OF, ScorerSettings
from leaderboard.strategies import known_strategies
from leaderboard.translation import translated_lazy

TEXTS: Final = ("name", "summary", "description", "goal")
EMPTY_ROWS: Final = 2
"""Rows for further columns that the form offers."""
MOST_ROWS: Final = 100


class RulesForm(ScorerSettings, FormWithSent):
    """The service checks what is sent, so that errors are those of the API."""

    name = forms.CharField()
    summary = forms.CharField(required=False)
    description = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 7}))
    goal = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 4}))
    scoring_strategy = forms.CharField()
    counting = forms.CharField(widget=forms.RadioSelect(choices=COUNTING))
    only_succeeded = forms.BooleanField(required=False)
    min_coverage = forms.FloatField(
        required=False, widget=forms.NumberInput(attrs={"step": "any", "min": 0, "max": 1})
    )
    values = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3}))
    scoring_entrypoint = forms.CharField(required=False)
    timeout_ms = forms.IntegerField()
    rescore = forms.BooleanField(
        label=gettext_lazy("Score all attempts again if the scoring changes"),
        required=False,
        initial=True,
        help_text=gettext_lazy(
            "Until then the board shows the scores of the version before, and only new attempts"
            " are scored under the new one."
        ),
    )
    state = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, challenge: Challenge, user: User, data: QueryDict | None = None) -> None:
        self.challenge, self.config_before = challenge, challenge.newest
        self.stored_fields: Mapping[str, Any] = {
            **scoring_fields_of(self.config_before),
            **{name: getattr(challenge, name) for name in (*TEXTS, "values", "columns")},
        }
        self.columns_stored: list[dict[str, Any]] = self.stored_fields["columns"]
        super().__init__(data, initial=self._initial())
        self._describe()
        self._offer(user)
        self.column_rows = self._add_columns(data)
        self.rank_rows = self._add_ranks()
        self._add_scorer()

    def disable(self) -> None:
        """Show the fields to reviewers, who change nothing."""
        for field in self.fields.values():
            field.disabled = True

    # The parts of the page.

    @property
    def texts(self) -> list[forms.BoundField]:
        return [self[name] for name in TEXTS]

    @property
    def strategy(self) -> list[forms.BoundField]:
        return [self["scoring_strategy"]]

    @property
    def again(self) -> list[forms.BoundField]:
        return [self["rescore"]]

    @property
    def ranking(self) -> list[forms.BoundField]:
        return [self[name] for name in ("counting", "only_succeeded", "min_coverage", "values")]

    @property
    def scorer(self) -> list[forms.BoundField]:
        return [self[name] for name in ("scoring_entrypoint", "timeout_ms")]

    @property
    def settings(self) -> list[forms.BoundField]:
        return [self[name] for name in (SETTINGS_OF, *self.setting_fields)]

    # What is sent, by the names of the API.

    def changes(self) -> dict[str, Any]:
        """The fields that differ from the stored ones. Call it after `is_valid`."""
        typed = self.cleaned_data
        entrypoint = typed.get("scoring_entrypoint", "")
        sent = {
            **{name: typed.get(name, self.stored_fields[name]) for name in TEXTS},
            **{name: typed.get(name) for name in ("scoring_strategy", "counting", "timeout_ms")},
            "only_succeeded": typed.get("only_succeeded", False),
            "min_coverage": typed.get("min_coverage"),
            "values": [each.strip() for each in typed["values"].splitlines() if each.strip()],
            "scoring_entrypoint": entrypoint,
            "scoring_config": self.config() if entrypoint else {},
            "rank_by": self._rank_by(),
            "columns": self._columns(),
        }
        return {name: each for name, each in sent.items() if each != self.stored_fields[name]}

    def placed(self, refused: ServiceError) -> ServiceError:
        """An error with the rows of this form, which may have empty ones between."""
        found = {self._placed(path): texts for path, texts in refused.fields.items()}
        return ServiceError(refused.code, refused.message, found)

    def _placed(self, path: str) -> str:
        name, _dot, rest = path.partition(".")
        place, _dot, field = rest.partition(".")
        known: Mapping[str, Sequence[Sequence[str]]] = {
            "rank_by": self.rank_rows,
            "columns": self.column_rows,
        }
        rows = known.get(name)
        if rows is None or not place.isdecimal():
            return path
        filled = [row for row, fields in enumerate(rows) if self.cleaned_data.get(fields[0])]
        return f"{name}.{filled[int(place)]}.{field}" if int(place) < len(filled) else name

    def _rank_by(self) -> list[dict[str, Any]]:
        """The keys. A strategy with its own order keeps the decimals that it had."""
        strategy = self.cleaned_data.get("scoring_strategy", "")
        known = known_strategies().get(strategy)
        if known is None or known.keys:
            is_same = self.config_before.strategy == strategy
            return list(self.config_before.rank_by) if is_same else []
        rows = ([self.cleaned_data.get(name) for name in names] for names in self.rank_rows)
        return [
            {"key": key, "direction": direction or "desc"}
            | ({} if decimals is None else {"decimals": decimals})
            for key, direction, decimals in rows
            if key
        ]

    def _columns(self) -> list[dict[str, Any]]:
        """The entries; what the form does not ask for, such as a direction, stays."""
        before = {each["key"]: each for each in self.columns_stored}
        return [
            self._column(before.get(key, {}), key, fields)
            for fields in self.column_rows
            if (key := self.cleaned_data.get(fields[0]))
        ]

    def _column(self, before: Mapping[str, Any], key: str, fields: Sequence[str]) -> dict[str, Any]:
        parts = [(name.rpartition(".")[2], self.cleaned_data.get(name)) for name in fields[1:]]
        typed = {part: value for part, value in parts if value not in (None, "")}
        kept = {
            part: each
            for part, each in before.items()
            if part == "direction" or (each == "" and part not in typed)
        }
        return {"key": key, **kept, **typed}

    # The fields.

    def _initial(self) -> dict[str, Any]:
        start = {**self.stored_fields, "state": state_of(self.challenge)}
        start["values"] = "\n".join(self.challenge.values)
        for row, key in enumerate(self.config_before.rank_by):
            start |= {f"rank_by.{row}.{part}": each for part, each in key.items()}
        for row, column in enumerate(self.columns_stored):
            start |= {f"columns.{row}.{part}": each for part, each in column.items()}
        del start["rank_by"], start["columns"], start[REST]
        return start

    def _describe(self) -> None:
        """Give the fields the titles and the descriptions of the schema."""
        for name, field in self.fields.items():
            if said := NewChallenge.model_fields.get(name):
                field.label = translated_lazy(said.title or "")
                field.help_text = field.help_text or translated_lazy(said.description or "")
        self.fields["values"].help_text = gettext_lazy(
            "Names of values that participants report, one per line."
        )

    def _offer(self, user: User) -> None:
        stored = self.config_before.entrypoint
        self.fields["scoring_strategy"].widget = forms.RadioSelect(choices=strategies())
        choices = scorer_choices(user, stored)
        self.fields["scoring_entrypoint"].widget = forms.RadioSelect(choices=choices)

    def _add_ranks(self) -> list[tuple[str, str, str]]:
        declared = str(self["values"].value() or "").splitlines()
        choices = rank_choices(self.config_before, declared)
        rows = []
        for row in range(MAX_KEYS):
            names = (f"rank_by.{row}.key", f"rank_by.{row}.direction", f"rank_by.{row}.decimals")
            label = _("By") if row == 0 else _("then by")
            self.fields[names[0]] = forms.CharField(
                label=label, required=False, widget=forms.Select(choices=choices)
            )
            self.fields[names[1]] = forms.ChoiceField(
                label=_("Order"), choices=DIRECTIONS, required=False
            )
            self.fields[names[2]] = forms.IntegerField(
                label=_("Decimals"), required=False, min_value=0, max_value=PRECISION
            )
            rows.append(names)
        return rows

    def _add_columns(self, data: QueryDict | None) -> list[tuple[str, str, str, str]]:
        filled = len(self.columns_stored)
        if data is not None:
            sent = (name.split(".") for name in data if name.startswith("columns."))
            filled = max((int(each[1]) + 1 for each in sent if each[1].isdecimal()), default=0)
        choices = column_choices(self.challenge, self.config_before)
        rows = []
        for row in range(min(filled + (0 if data else EMPTY_ROWS), MOST_ROWS)):
            names = tuple(f"columns.{row}.{part}" for part in ("key", "label", "unit", "decimals"))
            key, label, unit, decimals = names
            self.fields[key] = forms.CharField(
                label=_("Column"), required=False, widget=forms.Select(choices=choices)
            )
            self.fields[label] = forms.CharField(label=_("Label"), required=False)
            self.fields[unit] = forms.CharField(label=_("Unit"), required=False)
            self.fields[decimals] = forms.IntegerField(label=_("Decimals"), required=False)
            rows.append((key, label, unit, decimals))
        return rows

    def _add_scorer(self) -> None:
        chosen = str(self["scoring_entrypoint"].value() or "")
        plugin = described(chosen) if chosen else None
        is_stored = chosen == self.config_before.entrypoint
        schema = plugin.config_schema if plugin else None
        self.add_settings(chosen, schema or {}, self.config_before.config if is_stored else None)


def state_of(challenge: Challenge) -> str:
    """Changes with the version of the scoring and with each field that the form shows."""
    names = (*TEXTS, "values", "columns")
    shown = [challenge.newest.number, *(getattr(challenge, name) for name in names)]
    return sha256(canonical(shown)).hexdigest()[:16]
