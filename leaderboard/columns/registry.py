"""Finds the columns of this folder: every module with a `COLUMN`, without a list to edit.

A fact that boards rank by has a column without a file here; a file changes its format.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any

from leaderboard.columns.column import Column
from leaderboard.columns.fact import fact_column
from leaderboard.columns.metric import metric_column, metric_keys
from leaderboard.columns.program import program_column
from leaderboard.columns.reported import reported
from leaderboard.columns.text_metric import text_column, text_keys
from leaderboard.facts import rankable_facts
from leaderboard.rules.plugins.modules import offered
from leaderboard.rules.sortkey import Direction
from leaderboard.rules.texts.value_names import ECONOMICS, is_value_name
from leaderboard.schemas.metrics import MetricSpec, spec_of
from leaderboard.schemas.text_metrics import TextSpec, text_spec_of

NO_NOTES: Mapping[str, Any] = MappingProxyType({})
TEXT_NOTE = "text:"
"""Prefix of text metrics' ids among notes, because other metrics may have the same name."""
PROGRAM_NOTE = "program:"
"""Prefix of the values of a scoring program among notes."""


@cache
def known_columns() -> Mapping[str, Column]:
    """Every column that a file here or a fact describes, by key, in the order of keys."""
    facts = {fact.key: fact_column(fact) for fact in rankable_facts()}
    columns: Mapping[str, Column] = {**facts, **offered("leaderboard.columns", "COLUMN")}
    return MappingProxyType(dict(sorted(columns.items())))


def get_column(
    key: str,
    specs: Sequence[MetricSpec] = (),
    notes: Mapping[str, Any] = NO_NOTES,
    texts: Sequence[TextSpec] = (),
) -> Column:
    """The column of a key, which may be that of a file here, a metric or a reported value.

    specs, texts: the challenge's metrics of samples and of texts. notes: descriptions of metrics:
    a `Note` by type for those that do not come with Podium, a `TextNote` by `text:ID` for text
    metrics, and the direction by `program:KEY` for values of a scoring program.
    """
    if column := known_columns().get(key):
        return column
    if spec := spec_of(key, specs):
        return metric_column(key, spec, notes.get(spec.type))
    if text := text_spec_of(key, texts):
        return text_column(key, text, notes.get(TEXT_NOTE + text.id))
    if note := notes.get(f"{PROGRAM_NOTE}{key}"):
        return program_column(key, note)
    return reported(key)


def columns_for(
    ranked: Sequence[tuple[str, Direction]],
    specs: Sequence[MetricSpec] = (),
    *,
    texts: Sequence[TextSpec] = (),
    notes: Mapping[str, Any] = NO_NOTES,
    rewards: Sequence[str] = (),
    value_keys: Sequence[str] = (),
    named: Sequence[str] = (),
) -> list[Column]:
    """A board's columns: ranked ones, metrics, named ones, costs per task, other facts.

    ranked: the keys that the board ranks by, with their directions. texts, notes: as for
    `get_column`. rewards: names that the challenge's tasks declare. value_keys: those of metric
    values that attempts have had. named: keys that the challenge names, in its order; a further
    number of a text metric has a column only if it is ranked by or named.
    """
    by_key = {
        key: replace(get_column(key, specs, notes, texts), direction=direction, ranked=True)
        for key, direction in ranked
    }
    facts = sorted(
        (column for column in known_columns().values() if column.place is not None),
        key=lambda column: (column.place, column.key),
    )
    further_keys = [
        *metric_keys(specs, rewards, value_keys),
        *text_keys(texts, named),
        *(key for key in named if key not in known_columns() and _may_be(key, specs, texts)),
        *(key for key in ECONOMICS if key in value_keys),
        *(column.key for column in facts),
    ]
    for key in further_keys:
        by_key.setdefault(key, get_column(key, specs, notes, texts))
    return list(by_key.values())


def _may_be(key: str, specs: Sequence[MetricSpec], texts: Sequence[TextSpec]) -> bool:
    computed = spec_of(key, specs) is not None or text_spec_of(key, texts) is not None
    return computed or is_value_name(key)
