"""Files of the view of a board that a page shows: its rows, their order and its columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.exporters import Exporter, known_exporters
from leaderboard.languages.translation import translated
from leaderboard.pages.board.lines import ShownTable
from leaderboard.pages.tables.rows import BoardParameters
from leaderboard.services.board.reading.meta_query import meta_json
from leaderboard.services.board.reading.row_filter import ALL_KINDS
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.exports import board_outline


class Download(NamedTuple):
    """A file, and where it is."""

    label: str
    url: str


def downloads(
    board: VisibleBoard, asked: BoardParameters, table: ShownTable, rows: Sequence[BoardRow]
) -> Sequence[Download]:
    """The files of a view, which hold its rows of all pages. rows: those of one page."""
    challenge, query = board.challenge, _query(asked, table.context["shown_keys"])
    formats: list[tuple[str, str, tuple[tuple[str, str], ...]]] = [
        (_("CSV"), "csv", ()),
        (_("CSV for Excel"), "csv", (("for", "excel"),)),
        (_("JSON"), "json", ()),
        (_("JSON Lines"), "jsonl", ()),
        (_("Markdown"), "markdown", ()),
        (_("Parquet"), "parquet", ()),
    ]
    return [
        *(
            Download(label, _asking(name, [challenge.slug], [*more, *query]))
            for label, name, more in formats
        ),
        *(
            Download(
                translated(exporter.label),
                _asking("exchange", [challenge.slug, exporter.key], query),
            )
            for exporter in _exporters(board, table, rows)
        ),
    ]


def _exporters(
    board: VisibleBoard, table: ShownTable, rows: Sequence[BoardRow]
) -> Iterator[Exporter]:
    """The formats of the exchange that can say what the board says."""
    if not board.is_whole or not any(row.attempt_id for row in rows):
        return
    outline = board_outline(board, table.chosen.columns)
    has_rates = outline.has_task_rates and table.context["strip_legend"] is not None
    outline = replace(outline, has_task_rates=has_rates)
    for exporter in known_exporters().values():
        if not exporter.problem(outline):
            yield exporter


def _query(view: BoardParameters, columns: Sequence[str]) -> list[tuple[str, str]]:
    """The view by the names of the API."""
    wanted, kinds = view.wanted, view.rows.kinds
    asked = {
        "phase": view.phase,
        "search": wanted.text,
        "participant_kind": wanted.kind,
        "bracket": wanted.bracket,
        "meta": json.dumps(meta_json(wanted.meta), ensure_ascii=False) if wanted.meta else "",
        "verified": "1" if wanted.verified else "",
        "complete": ",".join(wanted.complete),
        "family": wanted.family,
        "families": "best" if wanted.folds else "",
        "kinds": "" if set(kinds) == set(ALL_KINDS) else ",".join(kinds),
        "sort": view.sort,
        "columns": ",".join(columns),
    }
    return [(name, value) for name, value in asked.items() if value]


def _asking(view: str, arguments: list[str], query: list[tuple[str, str]]) -> str:
    address = reverse(f"api:{view}", args=arguments)
    return f"{address}?{urlencode(query)}" if query else address
