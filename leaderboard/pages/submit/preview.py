"""The preview of a result file, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _

from leaderboard.columns import Column, get_column
from leaderboard.importers import known_importers
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge
from leaderboard.pages.labels import metric_labels, row_labels
from leaderboard.pages.labels.admission import VERDICTS
from leaderboard.pages.shared.forms import as_sentence
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.services.board.reading import ranking
from leaderboard.services.imports.previews import ImportResult, Preview

ROWS_SHOWN = 100


@dataclass(frozen=True, slots=True)
class PreviewLine:
    """The preview of one attempt of the file. existing: the existing attempt of the same results.

    recognised: which outputs of a model it has and which are missing, as text. verdict, findings:
    what the rules of admission say of it.
    """

    participant: str
    existing: UUID | None
    recognised: str
    tasks: int
    samples: int
    failed: int
    values: list[tuple[str, str, str]]
    verdict: str
    findings: list[str]


def preview_of(challenge: Challenge, result: ImportResult, name: str) -> PageContext:
    """The template's context: the recognised format of the file, and a line for each attempt."""
    columns = {column.key: column for column in ranking.columns_of(challenge)}
    named = {column["key"]: column["label"] for column in result.suggested.get("columns", ())}
    fresh = sum(not row.known for row in result.rows)
    return {
        "name": name,
        "format": translated(known_importers()[result.format].label),
        "fresh": fresh,
        "fresh_text": row_labels.count(fresh, "attempt"),
        "existing": len(result.rows) - fresh,
        "has_outputs": any(row.recognised.words for row in result.rows),
        "has_samples": any(row.samples or row.tasks for row in result.rows),
        "has_verdicts": any(row.verdict for row in result.rows),
        "has_values": any(row.metric_values or row.values for row in result.rows),
        "lines": [_line(columns, named, row) for row in result.rows[:ROWS_SHOWN]],
        "more": max(0, len(result.rows) - ROWS_SHOWN),
        "warnings": [translated(warning) for warning in result.warnings],
        "differences": [translated(difference) for difference in result.differences],
    }


def _line(columns: dict[str, Column], named: Mapping[str, str], row: Preview) -> PreviewLine:
    return PreviewLine(
        participant=row.participant,
        existing=row.attempt if row.known else None,
        recognised=translated(row.recognised.text),
        tasks=row.tasks,
        samples=row.samples,
        failed=row.failed,
        values=list(_values(columns, named, row)),
        verdict=str(VERDICTS.get(row.verdict, "")),
        findings=[as_sentence(translated(finding.text)) for finding in row.findings],
    )


def _values(
    columns: dict[str, Column], named: Mapping[str, str], row: Preview
) -> Iterator[tuple[str, str, str]]:
    """Label, value and coverage of each value that the attempt would have on the board."""
    for key, state in row.metric_values.items():
        column = columns.get(key) or get_column(key)
        yield (
            translated(column.label),
            row_labels.value_text(column, state["value"]),
            metric_labels.coverage(state),
        )
    for key, value in row.values.items():
        yield named.get(key, key), row_labels.number(value), _("reported")
