"""The uses of a table's columns, as a row of choices for each column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from leaderboard.facts import facts_on_pages
from leaderboard.importers import ColumnUse
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge
from leaderboard.rules.texts.messages import message
from leaderboard.services.board.reading import ranking
from leaderboard.services.imports.previews import ImportResult

WORDS: Mapping[str, str | Promise] = {
    "participant": gettext_lazy("Participant"),
    "value": gettext_lazy("Value"),
    "reward": gettext_lazy("Reward"),
    "task": gettext_lazy("Task"),
    "sample": gettext_lazy("Number of the sample"),
    **{
        fact.key: message("{label} in {unit}", label=fact.label, unit=fact.unit)
        if fact.unit
        else fact.label
        for fact in facts_on_pages()
    },
    "submitted_at": gettext_lazy("Submitted at"),
    "meta": gettext_lazy("Further information"),
    "name": gettext_lazy("Display name"),
    "kind": gettext_lazy("Kind of participant"),
    "note": gettext_lazy("Note"),
    "error": gettext_lazy("Error"),
    "ignore": gettext_lazy("Leave out"),
}
"""The label of each use."""


class UseChoice(NamedTuple):
    """An option: the posted value, the label, and whether it is chosen."""

    value: str
    text: str
    is_chosen: bool


class ColumnRow(NamedTuple):
    """A column of the table."""

    label: str
    examples: str
    note: str
    choices: list[UseChoice]


def choices_of(columns: Sequence[ColumnUse]) -> list[ColumnRow]:
    """A row for each column; none for a file that is not a table."""
    return [
        ColumnRow(
            column.column,
            " · ".join(column.examples),
            translated(column.note),
            list(_choices(column)),
        )
        for column in columns
    ]


def _choices(column_use: ColumnUse) -> Iterator[UseChoice]:
    kind, _, name = column_use.use.partition(":")
    for use, words in WORDS.items():
        is_chosen = use == kind
        named = f":{name}" if is_chosen and name else ""
        label = translated(words)
        text = f"{label} ({name})" if named and name != column_use.column else label
        yield UseChoice(f"{column_use.column}={use}{named}", text, is_chosen)


def hidden_values(challenge: Challenge, result: ImportResult) -> list[str]:
    """Labels of the table's values that the board has no column for."""
    shown_keys = {column.key for column in ranking.columns_of(challenge)}
    columns = result.suggested.get("columns", ())
    return [column["label"] for column in columns if column["key"] not in shown_keys]
