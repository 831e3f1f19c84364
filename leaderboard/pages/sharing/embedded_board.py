"""`/embed/c/{slug}/`: the first rows of a board, for a frame on another site."""

from __future__ import annotations

from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from leaderboard.pages.charts.bars import bar
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.rank_ranges import rank_range
from leaderboard.pages.sharing.picture import card_rows, shared
from leaderboard.pages.sharing.public_board import phase_query, public_board_or_404
from leaderboard.pages.tables.verdict import lead_text
from leaderboard.services.board.reading import ranking
from leaderboard.services.competition.visible.certainty import certainty_of

ROWS = 10


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]  # its types have no slug
def embedded_board(request: HttpRequest, slug: str) -> HttpResponse:
    """Only where the organisers allow it. It has nothing of the reader, and no form."""
    board = public_board_or_404(slug, request.GET.get("phase", ""))
    if not board.challenge.is_embeddable:
        raise Http404("The board is not for frames.")
    columns = row_labels.spoken(ranking.columns_of(board.challenge))
    rows = [row for row in board.page_from(0, limit=ROWS).rows if row.rank is not None]
    certain = certainty_of(board, rows)
    cards = card_rows(columns[0], rows, certain) if columns else []
    totals = board.totals()
    context = {
        "challenge": board.challenge,
        "phase": str(board.board.phase) if board.challenge.has_several_boards else "",
        "phase_query": phase_query(board),
        "measure": row_labels.marked(columns[0]) if columns else "",
        "rows": [
            (card, row.participant, bar(card.share), rank_range(certain, row).hint)
            for card, row in zip(cards, rows, strict=True)
        ],
        "remark": lead_text(certain, columns[0]) if columns else "",
        "total": totals.total if totals else 0,
        "frozen_since": board.frozen_since,
    }
    return shared(render(request, "pages/embed.html", context))
