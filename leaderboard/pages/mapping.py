"""What the columns of a table are used for, as a row of choices for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from leaderboard.facts import facts_on_pages
from leaderboard.importers import ColumnUse
from leaderboard.models import Challenge
from leaderboard.services.board import ranking
from leaderboard.services.imports.importing import ImportResult

WORDS = {
    "participant": "Participant",
    "value": "Value",
    "reward": "Reward",
    "task": "Task",
    "sample": "Number of the sample",
    **{
        fact.key: f"{fact.label} in {fact.unit}" if fact.unit else fact.label
        for fact in facts_on_pages()
    },
    "submitted_at": "Submitted at",
    "meta": "Further information",
    "name": "Display name",
    "kind": "Kind of participant",
    "note": "Note",
    "error": "Error",
    "ignore": "Leave out",
}
"""Every use, in the words of the page."""


class UseChoice(NamedTuple):
    """What is posted, what is read, and whether it is chosen."""

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
    """A row for each column; nothing for a file that is no table."""
    return [
        ColumnRow(each.column, " · ".join(each.examples), each.note, list(_choices(each)))
        for each in columns
    ]


def _choices(each: ColumnUse) -> Iterator[UseChoice]:
    kind, _, name = each.use.partition(":")
    for use, words in WORDS.items():
        is_chosen = use == kind
        named = f":{name}" if is_chosen and name else ""
        text = f"{words} ({name})" if named and name != each.column else words
        yield UseChoice(f"{each.column}={use}{named}", text, is_chosen)


def hidden_values(challenge: Challenge, found: ImportResult) -> list[str]:
    """Labels of the table's values that the board has no column for."""
    shown = {column.key for column in ranking.columns_of(challenge)}
    columns = found.suggested.get("columns", ())
    return [each["label"] for each in columns if each["key"] not in shown]
