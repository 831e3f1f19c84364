"""Families on a board: the best row of each, with the rows behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import ngettext

from leaderboard.columns import Column
from leaderboard.languages.translation import count_text
from leaderboard.pages.board.details import BoardQuestion
from leaderboard.pages.tables.board_table import TableFamily, TableLine, lines
from leaderboard.services.board.reading.families import Variants
from leaderboard.services.board.reading.rows import BoardRow


def ranked_here(rows: Sequence[BoardRow]) -> list[BoardRow]:
    """The rows with their ranks among those that are listed, instead of among all of the board."""
    return [
        row if row.here is None else row._replace(rank=row.here, tied=row.tied_here, here=None)
        for row in rows
    ]


def with_variants(
    question: BoardQuestion, columns: list[Column], table_lines: Sequence[TableLine]
) -> list[TableLine]:
    """The lines with the rows behind them; a move of their rank on the whole board is left out."""
    variants = question.board.variants(question.asked.rows, question.rows)
    return [
        replace(line, move=None, family=_family(question, columns, row, variants.get(row.family)))
        for row, line in zip(question.rows, table_lines, strict=True)
    ]


def _family(
    question: BoardQuestion, columns: list[Column], row: BoardRow, variants: Variants | None
) -> TableFamily | None:
    if not row.family or variants is None:
        return None
    text = ngettext("+ {count} variant", "+ {count} variants", variants.number)
    query = {"family": row.family, "phase": question.asked.phase}
    address = reverse("board", args=[question.board.challenge.slug])
    url = f"{address}?{urlencode({name: value for name, value in query.items() if value})}"
    return TableFamily(
        row.family,
        text.format(count=count_text(variants.number)),
        url,
        lines(columns[:1], variants.rows),
    )
