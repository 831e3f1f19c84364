"""A reader's own rows on a board: marked in the part of the page that all readers share.

That part has slots: texts between marks, each with a name. What a reader's slots hold is made for
the reader, and kept as long as the part.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _

from leaderboard.columns import Column
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.kept_parts import KeptParts
from leaderboard.pages.shared.reader_parts import without_reader
from leaderboard.pages.tables.board_table import TableLine, lines
from leaderboard.pages.tables.meta import meta_cells
from leaderboard.pages.tables.row_pictures import strip_texts, with_pictures
from leaderboard.pages.tables.rows import BoardParameters
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.rules.visibility.meta_values import MetaField
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import stored_certainty
from leaderboard.services.competition.visible.own_rows import own_participants, own_row
from leaderboard.services.competition.visible.summary import summary_in

ANCHOR: Final = "own-row"
SIZE: Final = 4_000_000
"""The most bytes of the slots that a process keeps."""

Slots = Mapping[str, str]
"""HTML by the name of its slot."""
_kept: Final = KeptParts[Slots](SIZE)


@dataclass(frozen=True, slots=True)
class RowsAround:
    """What a row that joins a page needs of it.

    sort_keys: those of the rows of the page. column_keys: those of all columns. context: what the
    templates of rows and of the links to them read.
    """

    sort_keys: frozenset[bytes]
    column_keys: frozenset[str]
    columns: Sequence[Column]
    fields: Sequence[MetaField]
    context: PageContext


def own_slots(
    request: HttpRequest,
    board: VisibleBoard,
    asked: BoardParameters,
    around: RowsAround,
    key: Hashable,
) -> Slots:
    """The slots that differ for the reader. key: that of the part, if it is kept; else None."""
    mine = own_participants(board, signed_in(request)) if request.user.is_authenticated else []
    if not mine:
        return {}
    own_key = (key, *mine)
    kept = _kept.get(own_key) if key is not None else None
    if kept is not None:
        return kept
    slots = _slots(request, board, asked, around, mine)
    if key is not None:
        _kept.keep(own_key, slots, sum(map(len, slots.values())) * 2 + 1000)
    return slots


def clear_own_slots() -> None:
    _kept.clear()


def _slots(
    request: HttpRequest,
    board: VisibleBoard,
    asked: BoardParameters,
    around: RowsAround,
    mine: Sequence[int],
) -> Slots:
    own = own_row(board, mine)
    marked = mark_safe(' class="own" aria-current="true"')
    slots = {f"row:{participant}": marked for participant in mine}
    if own is None:
        return slots
    best = own.row
    tag = format_html(' <span class="tag">{}</span>', _("you"))
    slots |= {f"tag:{participant}": tag for participant in mine}
    best_slot = f"row:{best.participant.pk}:{best.attempt_id}"
    slots[best_slot] = format_html(' id="{}"{}', ANCHOR, marked)
    is_there = best.sort_key in around.sort_keys
    url = f"#{ANCHOR}" if is_there else _address(board, asked, own.position)
    context = {**around.context, "challenge": board.challenge, "own": {"url": url}}
    slots["links"] = render_to_string("pages/board_own.html", context, without_reader(request))
    if not is_there and not asked.wanted.folds:
        line = _drawn(board, asked, around, best)
        body = render_to_string("pages/lines.html", {**context, "lines": [line], "has_own": True})
        slots["pinned"] = format_html('<tbody class="pinned">{}</tbody>', body)
    return slots


def _address(board: VisibleBoard, asked: BoardParameters, position: int) -> str:
    """The address of the page on which a row is, in its place."""
    page = position // asked.size + 1
    parameters = {
        "phase": asked.phase,
        "families": "all" if asked.wanted.folds else "",
        "page": f"{page}" if page > 1 else "",
    }
    query = urlencode({name: value for name, value in parameters.items() if value})
    address = reverse("board", args=[board.challenge.slug])
    return f"{address}{'?' + query if query else ''}#{ANCHOR}"


def _drawn(
    board: VisibleBoard, asked: BoardParameters, around: RowsAround, row: BoardRow
) -> TableLine:
    """A single row with its pictures."""
    columns, summary = list(around.columns), summary_in(board, stored_certainty(board))
    texts = strip_texts(summary, around.column_keys, board.challenge.slug, asked.phase)
    (line,) = with_pictures(summary, columns, [row], lines(columns, [row]), texts)
    row_with_meta = board.with_meta([row])[0] if around.fields else row
    return replace(line, is_own=True, meta=meta_cells(around.fields, row_with_meta))
