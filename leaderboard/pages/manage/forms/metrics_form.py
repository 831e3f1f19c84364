"""The form on which organisers change the metrics of a challenge, and what it ranks by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.http import QueryDict

from leaderboard.forms.challenge_inputs import ChallengeInputs
from leaderboard.forms.metric_choice import MetricChoice
from leaderboard.forms.rank_rows import RankRows
from leaderboard.forms.setting_fields import REST
from leaderboard.models import Challenge, ScoringConfig, User
from leaderboard.pages.manage.changing import ChangeForm, state_of
from leaderboard.pages.manage.forms.metric_rows import (
    entry_of,
    families,
    groups_of,
    metric_choices,
    metric_fields,
    typed_of,
)
from leaderboard.pages.manage.forms.rules_choices import Choices, rank_choices
from leaderboard.pages.manage.forms.sparse_rows import (
    is_about_rows,
    next_numbers,
    row_numbers,
    wanted_more,
    without_removed,
)
from leaderboard.pages.manage.forms.text_metric_rows import (
    SHOWN,
    entry_of_text,
    given_of,
    own_fields,
    parameter_fields,
    parameter_name,
    text_metric_choices,
    with_defaults,
)
from leaderboard.rules.json.untyped_dicts import FormValues, PluginSettings, SentFields
from leaderboard.schemas.errors import SchemaError
from leaderboard.schemas.metrics import parse_metrics
from leaderboard.services.challenges.own_plugins import usable_own

MOST_ROWS: Final = 50
METRICS: Final = "metrics"
TEXTS: Final = "text_metrics"
TEXT_TIMEOUT: Final = "text_timeout_ms"


@dataclass(frozen=True, slots=True)
class MetricRow:
    """A row of the form. name: `metrics.0`; fields: the names of its fields by their part.

    parameters: the names of the fields of parameters, by their key.
    """

    name: str
    fields: Mapping[str, str]
    parameters: Mapping[str, str]

    @property
    def number(self) -> int:
        return int(self.name.rpartition(".")[2])


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row as the page shows it: what is always shown, and the rest. has_errors: in the rest."""

    name: str
    heading: str
    first: list[forms.BoundField]
    rest: list[forms.BoundField]

    @property
    def has_errors(self) -> bool:
        return any(field.errors for field in self.rest)


class MetricsForm(MetricChoice, RankRows, ChallengeInputs, ChangeForm):
    """Rows `metrics.0.type` for metrics of rewards, and `text_metrics.0.id` for text metrics."""

    config_before: ScoringConfig

    def __init__(self, challenge: Challenge, user: User, data: QueryDict | None = None) -> None:
        self.challenge, self.config_before = challenge, challenge.newest
        names = (METRICS, TEXTS, TEXT_TIMEOUT, "rank_by")
        self.stored = {name: getattr(self.config_before, name) for name in names}
        self.is_kept = is_about_rows(data)
        self.sent = without_removed(data) if data is not None else None
        super().__init__(
            self.sent,
            initial={
                **self.initial_ranks(),
                "state": state_of(challenge),
                TEXT_TIMEOUT: self.config_before.text_timeout_ms,
            },
        )
        self.add_fields([TEXT_TIMEOUT])
        self.offer_metrics(user)
        self.metric_rows = self._add_metrics(user)
        self.text_rows = self._add_texts(user)
        self.add_ranks(forms.Select(choices=self._rank_choices()))

    # The parts of the page.

    @property
    def metrics(self) -> list[ShownRow]:
        return [self._row(row, ("type", "k", "name", "of", "script")) for row in self.metric_rows]

    @property
    def text_metrics(self) -> list[ShownRow]:
        return [self._row(row, ("id", "name")) for row in self.text_rows]

    @property
    def text_limits(self) -> list[forms.BoundField]:
        return [self[TEXT_TIMEOUT]]

    @property
    def further_metrics(self) -> list[forms.BoundField]:
        """Boxes for several metrics at once."""
        return [self["metrics_chosen"], self["metrics_k"]]

    @property
    def further_text_metrics(self) -> list[forms.BoundField]:
        return [self["text_metrics_chosen"]]

    @property
    def ranks_by_metrics(self) -> bool:
        """Whether the strategy takes its order from the challenge."""
        return self.config_before.strategy == "metric"

    # What is sent, by the names of the API.

    def changes(self) -> SentFields:
        lists = {
            METRICS: [self._metric(row) for row in self._filled(self.metric_rows, "type")],
            TEXTS: [self._text_metric(row) for row in self._filled(self.text_rows, "id")],
        }
        ranked = {"rank_by": self.rank_by(self.config_before.strategy)}
        return self.changed_values(
            self.with_chosen(lists) | self.typed_values([TEXT_TIMEOUT]) | ranked
        )

    def filled_rows(self) -> Mapping[str, Sequence[int]]:
        return {
            METRICS: [row.number for row in self._filled(self.metric_rows, "type")],
            TEXTS: [row.number for row in self._filled(self.text_rows, "id")],
            "rank_by": self.filled_ranks(),
        }

    def placed_path(self, path: str) -> str:
        placed = super().placed_path(path).replace(".kwargs.script", ".script")
        if placed != path and placed in (
            METRICS,
            TEXTS,
        ):  # It is none of the rows, so it was ticked.
            return f"{placed}_chosen"
        chosen = "type" if placed.startswith(METRICS) else "id"
        return f"{placed}{chosen}" if placed.endswith(".") else placed

    def _metric(self, row: MetricRow) -> Any:
        if row.number < len(self.stored[METRICS]) and not self._is_changed(row):
            return self.stored[METRICS][row.number]
        return entry_of(self._values_of(row))

    def _text_metric(self, row: MetricRow) -> Any:
        if row.number < len(self.stored[TEXTS]) and not self._is_changed(row):
            return self.stored[TEXTS][row.number]
        stored = self._stored_parameters(row.number, str(self.cleaned_data[row.fields["id"]]))
        parameters: PluginSettings = dict(self.cleaned_data.get(row.parameters.get(REST, "")) or {})
        for key, name in row.parameters.items():
            value = self.cleaned_data.get(name)
            if key == REST:
                continue
            if name not in self.changed_data:
                parameters |= {key: stored[key]} if key in stored else {}
            elif value not in (None, ""):
                parameters[key] = value
        return entry_of_text(self._values_of(row), parameters)

    def _values_of(self, row: MetricRow) -> FormValues:
        return {part: self.cleaned_data.get(name) for part, name in row.fields.items()}

    def _is_changed(self, row: MetricRow) -> bool:
        names = {*row.fields.values(), *row.parameters.values()} - {f"{row.name}.{SHOWN}"}
        return not names.isdisjoint(self.changed_data)

    def _filled(self, rows: Sequence[MetricRow], key: str) -> list[MetricRow]:
        return [row for row in rows if self.cleaned_data.get(row.fields[key])]

    # The fields.

    def _add_metrics(self, user: User) -> list[MetricRow]:
        metric_families = families()
        stored = [typed_of(entry, metric_families) for entry in self.stored[METRICS]]
        own = usable_own(self.challenge, "metric")
        choices = metric_choices(user, [entry["type"] for entry in stored], own)
        groups = groups_of(self.config_before)
        rows = []
        for number in self._numbers(METRICS):
            name = f"{METRICS}.{number}"
            before = stored[number] if number < len(stored) else {}
            chosen = self._chosen(f"{name}.type", before.get("type", ""))
            fields = metric_fields(choices, chosen, groups)
            rows.append(MetricRow(name, self._added(name, fields, before), {}))
        return rows

    def _add_texts(self, user: User) -> list[MetricRow]:
        stored = [given_of(entry) for entry in self.stored[TEXTS]]
        plugins = usable_own(self.challenge, "text_metric")
        choices = text_metric_choices(user, [entry["id"] for entry in stored], plugins)
        rows = []
        for number in self._numbers(TEXTS):
            name = f"{TEXTS}.{number}"
            before = stored[number] if number < len(stored) else {}
            chosen = self._chosen(f"{name}.id", before.get("id", ""))
            stored_parameters = self._stored_parameters(number, chosen)
            parameters = parameter_fields(chosen, stored_parameters, plugins)
            if self.sent is not None:
                with_defaults(self.sent, name, chosen, parameters)
            is_off = before.get("enable") is False
            own_before = {**before, SHOWN: before.get("id", "")}
            own = self._added(name, own_fields(choices, is_off=is_off), own_before)
            names = {key: parameter_name(name, key) for key in parameters}
            self.fields |= {names[key]: field for key, field in parameters.items()}
            rows.append(MetricRow(name, own, names))
        return rows

    def _added(
        self, row: str, fields: Mapping[str, forms.Field], before: Mapping[str, object]
    ) -> dict[str, str]:
        """Add the fields of a row; returns their names by their part."""
        names = {part: f"{row}.{part}" for part in fields}
        for part, field in fields.items():
            self.fields[names[part]] = field
            if part in before:
                self.initial[names[part]] = before[part]
        return names

    def _stored_parameters(self, number: int, chosen: str) -> Mapping[str, object]:
        stored = self.stored[TEXTS]
        before = given_of(stored[number]) if number < len(stored) else {}
        return (before.get("parameters") or {}) if before.get("id") == chosen else {}

    def _chosen(self, name: str, stored: str) -> str:
        return str(self.data.get(name, "")) if self.is_bound else stored

    def _numbers(self, name: str) -> list[int]:
        """The numbers of the rows of a list: those that were sent, or those that are stored."""
        stored = len(self.stored[name])
        if self.sent is None:
            return [*range(stored)]
        numbers = row_numbers(self.sent, name)
        return [*numbers, *next_numbers(numbers, wanted_more(self.sent, name, 1), stored)][
            :MOST_ROWS
        ]

    def _row(self, row: MetricRow, first: Sequence[str]) -> ShownRow:
        fields = {part: self[name] for part, name in row.fields.items()}
        heading = self._typed_name(row)
        first_fields = [fields[part] for part in first if part in fields]
        rest = [field for part, field in fields.items() if part not in first]
        parameters = [self[name] for name in row.parameters.values()]
        return ShownRow(row.name, heading, first_fields, [*parameters, *rest])

    def _rank_choices(self) -> Choices:
        """What the board can rank by under the metrics of the form."""
        stored = rank_choices(self.config_before, self.challenge.values)
        offered = {key for key, _label in stored}
        typed = [key for row in self.metric_rows for key in self._typed_keys(row)]
        typed += [self._typed_name(row) for row in self.text_rows]
        fresh = [key for key in dict.fromkeys(typed) if key and key not in offered]
        return [*stored, *((key, key) for key in fresh)]

    def _typed_keys(self, row: MetricRow) -> list[str]:
        """The keys of the values of a metric, also of one that is not stored yet."""
        reward = str(self[row.fields["reward"]].value() or "") if "reward" in row.fields else ""
        entry = {"type": "mean", "name": self._typed_name(row)}
        try:
            (spec,) = parse_metrics([entry | ({"reward": reward} if reward else {})])
        except SchemaError:
            return []
        return [key for key, _reward in spec.keys(self.config_before.declared_rewards)]

    def _typed_name(self, row: MetricRow) -> str:
        """The name of a metric, also of one that is not stored yet."""
        values = {part: self[name].value() for part, name in row.fields.items()}
        called = values.get("id") or entry_of(values)["type"]
        return str(values["name"] or called)
