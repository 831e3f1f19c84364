"""`/c/{slug}/p/{participant}/badge.svg`: the rank and the value of a participant."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.languages.translation import ENGLISH
from leaderboard.models import Challenge
from leaderboard.pages.charts.coordinates import written
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.rank_ranges import ranked_text
from leaderboard.pages.sharing.glyphs import cut, text_width
from leaderboard.pages.sharing.picture import shared, value_text
from leaderboard.pages.sharing.public_board import key_of, open_challenge_or_404
from leaderboard.pages.sharing.rendering import etag_of
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import certainty_of
from leaderboard.services.competition.visible.names import board_about, renamed_for
from leaderboard.services.competition.visible.viewers import Viewer, access_of

SIZE: Final = 11
HEIGHT: Final = 20
LONGEST: Final = 240
_PAD: Final = 7


@require_safe
def participant_badge(request: HttpRequest, slug: str, participant: str) -> HttpResponse:
    """In English: caches keep one badge for readers of all languages.

    `?phase=` names the phase. Without it, a participant that has no row in the phase that the
    challenge shows now has the badge of the last phase in which it has one.
    """
    phase = request.GET.get("phase", "")
    with translation.override(ENGLISH):
        challenge = open_challenge_or_404(slug)
        access = access_of(challenge, Viewer())
        called = access.called(challenge, participant)
        if called is None:
            return _former(challenge, access, participant, phase)
        board = board_about(access, challenge, called, phase)
        row = board.standing_of(called.participant) if board.is_whole else None
        if row is None or not called.covers(board.phase_id):
            return _former(challenge, access, participant, phase)
        etag = etag_of(key_of(board, "badge", participant))
        response = get_conditional_response(request, etag=etag)
        if response is None:
            svg = badge_svg(board.challenge.name, standing_text(board, row))
            response = HttpResponse(svg, content_type="image/svg+xml")
    return shared(response, etag)


def _former(challenge: Challenge, access: Access, participant: str, phase: str) -> HttpResponse:
    """The badge under the name that a participant has now. Raises Http404."""
    renamed = renamed_for(access, challenge, participant)
    board = board_about(access, challenge, renamed, phase) if renamed else None
    who = renamed.participant if renamed and board and renamed.covers(board.phase_id) else None
    if board is None or who is None or who.slug == participant or not board.is_whole:
        raise Http404("There is no such participant.")
    if board.standing_of(who) is None:
        raise Http404("There is no such participant.")
    address = reverse("badge", args=[challenge.slug, who.slug])
    return redirect(f"{address}?{urlencode({'phase': phase})}" if phase else address)


def standing_text(board: VisibleBoard, row: BoardRow) -> str:
    """The rank with its interval and the ranked value of a row, such as `#2 (1–4) · 0.87 F1`."""
    columns = row_labels.spoken(ranking.columns_of(board.challenge))
    if row.rank is None or not columns:
        return _("not ranked")
    rank = ranked_text(certainty_of(board, [row]), row)
    return f"#{rank} · {value_text(columns[0], row)} {row_labels.marked(columns[0])}"


def badge_svg(label: str, text: str) -> str:
    """A badge of two parts. The browser of the reader has the fonts."""
    label, text = cut(label, SIZE, LONGEST), cut(text, SIZE, LONGEST)
    left, right = (text_width(part, SIZE) + 2 * _PAD for part in (label, text))
    return format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img"'
        ' aria-label="{label}: {text}"><title>{label}: {text}</title>'
        '<rect width="{width}" height="{height}" rx="4" fill="#17614a"/>'
        '<path d="M{left} 0H4a4 4 0 0 0-4 4v12a4 4 0 0 0 4 4H{left}z" fill="#3a413c"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="{size}">'
        '<text x="{pad}" y="14" textLength="{label_width}">{label}</text>'
        '<text x="{start}" y="14" textLength="{text_width}">{text}</text></g></svg>',
        width=written(left + right),
        height=HEIGHT,
        left=written(left),
        label=label,
        text=text,
        size=SIZE,
        pad=_PAD,
        start=written(left + _PAD),
        label_width=written(left - 2 * _PAD),
        text_width=written(right - 2 * _PAD),
    )
