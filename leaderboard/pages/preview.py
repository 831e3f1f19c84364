"""What a result file would become, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from leaderboard.columns import Column, get_column
from leaderboard.importers import known_importers
from leaderboard.models import Challenge
from leaderboard.pages import labels, metric_labels
from leaderboard.services.board import ranking
from leaderboard.services.imports.importing import ImportResult, Preview

ROWS_SHOWN = 100


@dataclass(frozen=True, slots=True)
class PreviewLine:
    """What one attempt of the file would be. `known`: the attempt that it is already.

    recognised: what it brings of a model's outputs, in words, and what is missing.
    """

    participant: str
    known: UUID | None
    recognised: str
    tasks: int
    samples: int
    failed: int
    values: list[tuple[str, str, str]]


def preview_of(challenge: Challenge, result: ImportResult, name: str) -> dict[str, Any]:
    """For the template: what was recognised in the file of that name, a line for each attempt."""
    columns = {column.key: column for column in ranking.columns_of(challenge)}
    named = {each["key"]: each["label"] for each in result.suggested.get("columns", ())}
    fresh = sum(not row.known for row in result.rows)
    return {
        "name": name,
        "format": known_importers()[result.format].label,
        "fresh": fresh,
        "fresh_text": labels.count(fresh, "attempt"),
        "known": len(result.rows) - fresh,
        "has_outputs": any(row.recognised.words for row in result.rows),
        "has_samples": any(row.samples or row.tasks for row in result.rows),
        "has_values": any(row.metric_values or row.values for row in result.rows),
        "lines": [_line(columns, named, row) for row in result.rows[:ROWS_SHOWN]],
        "more": max(0, len(result.rows) - ROWS_SHOWN),
        "warnings": result.warnings,
        "differences": result.differences,
    }


def _line(columns: dict[str, Column], named: Mapping[str, str], row: Preview) -> PreviewLine:
    return PreviewLine(
        participant=row.participant,
        known=row.attempt if row.known else None,
        recognised=str(row.recognised),
        tasks=row.tasks,
        samples=row.samples,
        failed=row.failed,
        values=list(_values(columns, named, row)),
    )


def _values(
    columns: dict[str, Column], named: Mapping[str, str], row: Preview
) -> Iterator[tuple[str, str, str]]:
    """Label, value and coverage of what the attempt would have on the board."""
    for key, state in row.metric_values.items():
        column = columns.get(key) or get_column(key)
        yield column.label, column.text(state["value"]), metric_labels.coverage(state)
    for key, value in row.values.items():
        yield named.get(key, key), labels.number(value), "reported"
