"""The form on which organisers change the texts, the scoring and the columns of a challenge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _

from leaderboard.forms.challenge_inputs import ChallengeInputs
from leaderboard.forms.rank_rows import RankRows
from leaderboard.forms.setting_fields import REST, SETTINGS_OF, ScorerSettings
from leaderboard.models import Challenge, ScoringConfig, User
from leaderboard.pages.manage.changing import ChangeForm, state_of
from leaderboard.pages.manage.forms.rules_choices import (
    column_choices,
    rank_choices,
    scorer_choices,
)
from leaderboard.rules.json.stored import StoredColumn
from leaderboard.rules.json.untyped_dicts import FormValues, SentFields
from leaderboard.services.challenges.fields import scoring_fields_of
from leaderboard.services.challenges.own_plugins import described_scorer

TEXT_FIELDS: Final = ("name", "summary", "description", "goal")
ROWS_OF_TEXTS: Final = {"description": 7, "goal": 4, "values": 3}
RANKING_FIELDS: Final = ("counting", "only_succeeded", "min_coverage", "values")
SCORER_FIELDS: Final = ("scoring_entrypoint", "timeout_ms")
EMPTY_ROWS: Final = 2
"""Rows for further columns that the form offers."""
MOST_ROWS: Final = 100
COLUMN_PARTS: Final = ("key", "label", "unit", "decimals", "position", "hidden")


class RulesForm(RankRows, ScorerSettings, ChallengeInputs, ChangeForm):
    """Texts, ranking, scorer and columns."""

    config_before: ScoringConfig

    def __init__(self, challenge: Challenge, user: User, data: QueryDict | None = None) -> None:
        self.challenge, self.config_before = challenge, challenge.newest
        self.stored = {
            **scoring_fields_of(self.config_before),
            **{name: getattr(challenge, name) for name in (*TEXT_FIELDS, "values", "columns")},
        }
        self.columns_stored: list[StoredColumn] = challenge.columns
        super().__init__(data, initial=self._initial())
        self.add_fields(
            (*TEXT_FIELDS, "scoring_strategy", *RANKING_FIELDS, *SCORER_FIELDS),
            choice=forms.RadioSelect,
        )
        self.fields["timeout_ms"].required = True
        for name, rows in ROWS_OF_TEXTS.items():
            self.fields[name].widget.attrs["rows"] = rows
        self._offer(user)
        self.column_rows = self._add_columns(data)
        declared = str(self["values"].value() or "").splitlines()
        self.add_ranks(forms.Select(choices=rank_choices(self.config_before, declared)))
        self._add_scorer()

    # The parts of the page.

    @property
    def columns(self) -> list[list[forms.BoundField]]:
        return [[self[name] for name in names] for names in self.column_rows]

    @property
    def texts(self) -> list[forms.BoundField]:
        return [self[name] for name in TEXT_FIELDS]

    @property
    def strategy(self) -> list[forms.BoundField]:
        return [self["scoring_strategy"]]

    @property
    def ranking(self) -> list[forms.BoundField]:
        return [self[name] for name in RANKING_FIELDS]

    @property
    def scorer(self) -> list[forms.BoundField]:
        return [self[name] for name in SCORER_FIELDS]

    @property
    def settings(self) -> list[forms.BoundField]:
        return [self[name] for name in (SETTINGS_OF, *self.setting_fields)]

    # What is sent, by the names of the API.

    def changes(self) -> SentFields:
        """The fields that differ from the stored ones. Call it after `is_valid`."""
        typed = self.typed_values(
            (*TEXT_FIELDS, "scoring_strategy", *RANKING_FIELDS, *SCORER_FIELDS)
        )
        rows = {
            REST: self.config() if typed["scoring_entrypoint"] else {},
            "rank_by": self.rank_by(typed["scoring_strategy"]),
            "columns": self._columns(),
        }
        return self.changed_values(typed | rows)

    def filled_rows(self) -> Mapping[str, Sequence[int]]:
        columns = [
            row for row, names in enumerate(self.column_rows) if self.cleaned_data.get(names[0])
        ]
        return {"rank_by": self.filled_ranks(), "columns": columns}

    def _columns(self) -> list[SentFields]:
        """The entries; what the form does not ask for, such as a direction, stays."""
        before = {column["key"]: column for column in self.columns_stored}
        return [
            self._column(before.get(key, {}), key, fields)
            for fields in self.column_rows
            if (key := self.cleaned_data.get(fields[0]))
        ]

    def _column(self, before: Mapping[str, object], key: str, fields: Sequence[str]) -> SentFields:
        parts = [(name.rpartition(".")[2], self.cleaned_data.get(name)) for name in fields[1:]]
        typed = {
            part: value for part, value in parts if value not in (None, "") and value is not False
        }
        kept = {
            part: value
            for part, value in before.items()
            if part == "direction" or (value == "" and part not in typed)
        }
        return {"key": key, **kept, **typed}

    # The fields.

    def _initial(self) -> FormValues:
        start = {**self.stored, "state": state_of(self.challenge), **self.initial_ranks()}
        for row, column in enumerate(self.columns_stored):
            start |= {f"columns.{row}.{part}": value for part, value in column.items()}
        del start["rank_by"], start["columns"], start[REST]
        return start

    def _offer(self, user: User) -> None:
        stored = self.config_before.entrypoint
        choices = scorer_choices(user, self.challenge, stored)
        self.fields["scoring_entrypoint"].widget = forms.RadioSelect(choices=choices)

    def _add_columns(self, data: QueryDict | None) -> list[tuple[str, ...]]:
        filled = len(self.columns_stored)
        if data is not None:
            sent = (name.split(".") for name in data if name.startswith("columns."))
            filled = max((int(parts[1]) + 1 for parts in sent if parts[1].isdecimal()), default=0)
        choices = column_choices(self.challenge, self.config_before)
        rows = []
        for row in range(min(filled + (0 if data else EMPTY_ROWS), MOST_ROWS)):
            names = tuple(f"columns.{row}.{part}" for part in COLUMN_PARTS)
            key, label, unit, decimals, position, hidden = names
            self.fields[key] = forms.CharField(
                label=_("Column"), required=False, widget=forms.Select(choices=choices)
            )
            self.fields[label] = forms.CharField(label=_("Label"), required=False)
            self.fields[unit] = forms.CharField(label=_("Unit"), required=False)
            self.fields[decimals] = forms.IntegerField(label=_("Decimals"), required=False)
            self.fields[position] = forms.IntegerField(label=_("Place"), required=False)
            self.fields[hidden] = forms.BooleanField(label=_("Hide it"), required=False)
            rows.append(names)
        return rows

    def _add_scorer(self) -> None:
        chosen = str(self["scoring_entrypoint"].value() or "")
        plugin = described_scorer(chosen, self.challenge.pk) if chosen else None
        is_stored = chosen == self.config_before.entrypoint
        schema = plugin.config_schema if plugin else None
        self.add_settings(chosen, schema or {}, self.config_before.config if is_stored else None)
