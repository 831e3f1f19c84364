"""`/c/{slug}/arena/`: the board of an arena; organisers send files of votes."""

from __future__ import annotations

from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_POST, require_safe

from leaderboard.languages.translation import count_text, number_text
from leaderboard.pages.analysis.shared import analysed
from leaderboard.pages.shared.access import is_organiser, organised_or_404, signed_in
from leaderboard.rules.statistics.arenas import ArenaRow
from leaderboard.schemas.choices import VotesFrom
from leaderboard.services.board.reading.rows import RowParticipant
from leaderboard.services.competition.arena.pairs import has_outputs
from leaderboard.services.competition.arena.reading import VisibleArenaRow, arena_of
from leaderboard.services.competition.arena.voting import COLUMNS, store_votes, votes_in
from leaderboard.services.errors import ServiceError, invalid

MOST_BYTES = 8 * 2**20


class ArenaLine(NamedTuple):
    """A row of the arena in words."""

    rank: str
    participant: RowParticipant
    rating: str
    interval: str
    ranks: str
    votes: str


@require_safe
@cache_control(private=True, no_cache=True)
def arena_page(request: HttpRequest, slug: str) -> HttpResponse:
    about = analysed(request, slug)
    challenge = about.challenge
    arena = arena_of(about.board)
    takes_votes = challenge.votes_from == VotesFrom.ACCOUNTS
    context = {
        **about.context("arena"),
        "arena": arena.arena if arena else None,
        "lines": [_line(row) for row in arena.rows] if arena else [],
        "unrated": _unrated(arena.rows) if arena else "",
        "takes_votes": takes_votes and has_outputs(challenge),
        "sends_votes": is_organiser(request, challenge),
        "columns": ", ".join(COLUMNS),
    }
    return render(request, "pages/arena.html", context)


@login_required
@never_cache
@require_POST
def send_votes(request: HttpRequest, slug: str) -> HttpResponse:
    """Store the votes of a file that an organiser uploads."""
    challenge = organised_or_404(request, slug)
    upload = request.FILES.get("file")
    try:
        if upload is None or (upload.size or 0) > MOST_BYTES:
            raise invalid("file", _("must be a file of at most 8 MiB; got none or a larger one"))
        stored = store_votes(challenge, votes_in(_text(upload.read())), user=signed_in(request))
    except ServiceError as error:
        messages.error(request, error.message)
    else:
        text = ngettext("{count} vote is stored.", "{count} votes are stored.", stored)
        messages.success(request, text.format(count=count_text(stored)))
    return redirect("arena", slug=slug)


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise invalid("file", _("must be a text in UTF-8; got another encoding")) from None


def _line(visible: VisibleArenaRow) -> ArenaLine:
    row = visible.row
    return ArenaLine(
        rank="" if row["rank"] is None else count_text(row["rank"]),
        participant=visible.participant,
        rating="–" if row["rating"] is None else number_text(f"{row['rating']:.0f}"),
        interval=_span(row),
        ranks=_ranks(row),
        votes=count_text(row["votes"]),
    )


def _ranks(row: ArenaRow) -> str:
    if row["best"] is None or row["best"] == row["worst"]:
        return str(row["best"] or "")
    return f"{row['best']}–{row['worst']}"


def _span(row: ArenaRow) -> str:
    if row["low"] is None or row["high"] is None:
        return "–"
    ends = number_text(f"{row['low']:.0f}"), number_text(f"{row['high']:.0f}")
    return _("{low} to {high}").format(low=ends[0], high=ends[1])


def _unrated(rows: list[VisibleArenaRow]) -> str:
    """Why some participants have no rating, in a sentence."""
    names = [visible.participant.shown_name for visible in rows if visible.row["not_rated"]]
    if not names:
        return ""
    return _(
        "Not rated: {names}. Against the others they were always preferred or never, or nobody"
        " has compared them, so the votes set no limit to their strength."
    ).format(names=", ".join(names))
