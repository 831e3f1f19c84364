"""`/c/{slug}/og.png`: the picture that other sites show beside a link to a board."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.columns import Column
from leaderboard.languages.translation import day_text
from leaderboard.pages.charts.axes import TIME
from leaderboard.pages.charts.bars import shares_of
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.rank_ranges import rank_range, rank_text
from leaderboard.pages.sharing.card import ROWS, Card, CardRow, card_svg
from leaderboard.pages.sharing.glyphs import NOTHING, drawable
from leaderboard.pages.sharing.public_board import key_of, public_board_or_404
from leaderboard.pages.sharing.rendering import etag_of, picture_of
from leaderboard.pages.tables.cell_texts import CellTexts
from leaderboard.pages.tables.verdict import lead_text, uncertain_order
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import VisibleCertainty, certainty_of

CACHED: Final = "public, max-age=300"
"""Other sites ask again after five minutes."""


@require_safe
def board_picture(request: HttpRequest, slug: str) -> HttpResponse:
    board = public_board_or_404(slug, request.GET.get("phase", ""))
    etag = etag_of(key_of(board))
    response = get_conditional_response(request, etag=etag)
    if response is None:
        content = picture_of(etag, lambda: card_svg(card_of(board)))
        response = HttpResponse(content, content_type="image/png")
    return shared(response, etag)


def shared(response: HttpResponse, etag: str = "") -> HttpResponse:
    """An answer that any site may show, and that caches keep for some minutes."""
    response["Cache-Control"] = CACHED
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    if etag:
        response["ETag"] = etag
    return response


def card_of(board: VisibleBoard) -> Card:
    """The first rows of a board as the picture shows them."""
    challenge = board.challenge
    columns = row_labels.spoken(ranking.columns_of(challenge))
    rows = [row for row in board.page_from(0, limit=ROWS).rows if row.rank is not None]
    totals = board.totals()
    count = row_labels.count(totals.total, "participant") if totals else ""
    measure = row_labels.marked(columns[0]) if columns else ""
    phase = str(board.board.phase) if challenge.has_several_boards else ""
    certain = certainty_of(board, rows)
    address = settings.PUBLIC_URL and reverse("board", args=[challenge.slug])
    return Card(
        site=settings.SITE_NAME,
        title=challenge.name,
        subtitle=" · ".join(filter(None, (phase, measure, count))),
        rows=card_rows(columns[0], rows, certain) if columns else [],
        remark=_remark(certain, columns[0]) if columns else "",
        empty=_("No entries yet"),
        place=f"{urlsplit(settings.PUBLIC_URL).netloc}{address}" if address else "",
    )


def _remark(certain: VisibleCertainty | None, column: Column) -> str:
    """How uncertain the lead is, without names if the fonts cannot draw them."""
    text = lead_text(certain, column)
    return uncertain_order(certain) if drawable(text) == NOTHING else text


def card_rows(
    column: Column, rows: list[BoardRow], certain: VisibleCertainty | None
) -> list[CardRow]:
    values = [None if column.key == TIME else column.value(row.values) for row in rows]
    return [
        CardRow(
            rank_text(row),
            ranks.text if (ranks := rank_range(certain, row)).is_known else "",
            row.participant.shown_name,
            value_text(column, row),
            share,
        )
        for row, share in zip(rows, shares_of(values), strict=True)
    ]


def value_text(column: Column, row: BoardRow) -> str:
    """The value of a row in the column that the board ranks by, with a mark if it is reported."""
    if column.key == TIME:
        return day_text(row.reached_at)
    texts, state = CellTexts(column), row.cells.get(column.key)
    value = texts.value(column.value(row.values))
    if state is None or not (level := texts.level(state)):
        return value
    return _("{value} ({level})").format(value=value, level=level)
