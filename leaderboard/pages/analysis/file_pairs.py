"""Entries of a board whose files of predictions are compared on public rows."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.columns import Column
from leaderboard.languages.translation import count_text, translated
from leaderboard.models import Attempt, Challenge
from leaderboard.pages.analysis.pairs import ComparedMetric, PairSection, compared_line
from leaderboard.pages.tables.board_table import TableLine
from leaderboard.pages.tables.differences import difference_writer
from leaderboard.rules.statistics.row_sentences import row_sentence
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.compared_files import (
    RowsMetric,
    file_metrics,
    may_compare,
)


def comparable_attempts(board: VisibleBoard, rows: Sequence[BoardRow]) -> list[Attempt | None]:
    """The attempt of each row, None for one whose file the reader may not compare."""
    if board.board.counting == "mean":
        return [None] * len(rows)
    ids = [row.attempt_id for row in rows if row.attempt_id is not None]
    fields = ("participant", "phase", "submitted_at", "submitted_by", "challenge", "status")
    attempts = Attempt.objects.filter(pk__in=ids, submitted_file__isnull=False).only(*fields)
    allowed = {attempt.pk: attempt for attempt in attempts if may_compare(attempt, board.access)}
    return [allowed.get(row.attempt_id) if row.attempt_id else None for row in rows]


def file_sections(
    challenge: Challenge,
    columns: Sequence[Column],
    entries: Sequence[TableLine],
    attempts: Sequence[Attempt | None],
) -> list[PairSection]:
    """The comparisons of the first entry with each other one. attempts: of each entry."""
    first = attempts[0]
    compared = [
        (entry, attempt)
        for entry, attempt in zip(entries[1:], attempts[1:], strict=True)
        if attempt is not None
    ]
    if first is None or not compared:
        return []
    pairs = file_metrics(challenge, columns, [first, *(attempt for _, attempt in compared)])
    return [
        _section(entries[0], entry, metrics)
        for (entry, _), metrics in zip(compared, pairs, strict=True)
        if metrics
    ]


def _section(first: TableLine, second: TableLine, metrics: Sequence[RowsMetric]) -> PairSection:
    names = first.participant.shown_name, second.participant.shown_name
    lines = [_line(metric, names) for metric in metrics]
    return PairSection(first, second, lines, "", [], "", are_rows=True)


def _line(metric: RowsMetric, names: tuple[str, str]) -> ComparedMetric:
    column, compared = metric.column, metric.compared
    rows = count_text(compared.comparison.shared)
    sentence = translated(row_sentence(compared, names, rows, difference_writer(column)))
    return compared_line(column, (metric.first, metric.second), compared, sentence)
