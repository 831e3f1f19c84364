"""`/c/{slug}/p/{participant}/`: a participant's standing and attempts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from sys import getsizeof
from typing import Final, NamedTuple

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.columns import Column
from leaderboard.models import Attempt, Challenge, Participant
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.rank_ranges import ranked_text
from leaderboard.pages.participants.profile import profile, timeline, why_it_counts
from leaderboard.pages.shared.access import access_in, challenge_or_404, signed_in
from leaderboard.pages.shared.kept_parts import KeptParts
from leaderboard.pages.shared.paging import Paging, notes_asked, page_asked, uncounted
from leaderboard.pages.shared.phases import left_for
from leaderboard.pages.shared.reader_parts import reader_key, without_reader
from leaderboard.pages.sharing.picture import value_text
from leaderboard.pages.sharing.public_board import phase_query
from leaderboard.pages.tables.board_table import (
    TableCell,
    TableLine,
    are_noted,
    cells,
    filled,
    headers,
    is_wide,
    keys_in,
    lines,
)
from leaderboard.pages.tables.cell_texts import CellTexts, texts_of
from leaderboard.pages.tables.column_fits import ColumnFits
from leaderboard.pages.tables.next_rank import next_rank
from leaderboard.pages.tables.row_marks import with_marks
from leaderboard.pages.tables.verdict import uncertain_lead, with_certainty
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.rules.rewards.reductions import MetricValue
from leaderboard.services.attempts.read import Reading, read_attempts
from leaderboard.services.attempts.reading import ReadScore
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.access import Access, Called
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import VisibleCertainty, certainty_of
from leaderboard.services.competition.visible.names import board_about, renamed_for, takes_part

ATTEMPTS_PER_PAGE = 25


@dataclass(frozen=True, slots=True)
class AttemptLine:
    """An attempt in a list."""

    attempt: Attempt
    cells: list[TableCell]
    status: str
    status_text: str
    note: str
    counts: bool
    is_chosen: bool


class AttemptPage(NamedTuple):
    """A page of a participant's attempts. is_only: whether they have just one."""

    readings: Sequence[Reading]
    paging: Paging
    is_only: bool


class ParticipantBody(NamedTuple):
    """The page below its head, the standing in a line, and whether there is a row."""

    html: SafeString
    description: str
    own: bool


KEPT: Final = KeptParts[ParticipantBody](8_000_000)


@require_safe
def participant_page(request: HttpRequest, slug: str, participant: str) -> HttpResponse:
    challenge = challenge_or_404(request, slug)
    access = access_in(request, challenge)
    called = access.called(challenge, participant)
    phase = request.GET.get("phase", "")
    if called is None or not takes_part(board_about(access, challenge, called, phase), called):
        if renamed := _renamed(access, challenge, participant):
            return redirect("participant", slug, renamed.slug)
        raise Http404("There is no such participant.")
    who, board = called.participant, board_about(access, challenge, called, phase)
    is_mine = request.user.is_authenticated and who.owner_id == request.user.pk
    key = None if is_mine or access.is_limited else _key(request, board, called)
    body = KEPT.get(key) if key else None
    if body is None:
        body = _body(request, challenge, board, called)
        if key:
            KEPT.keep(key, body, getsizeof(body.html) + 1000)
    context = {
        "challenge": challenge,
        "participant": _named_as_asked(who, called, board),
        "phase_name": str(board.board.phase) if challenge.has_several_boards else "",
        "phase_query": phase_query(board),
        "is_mine": is_mine,
        "left": left_for(challenge, [who], signed_in(request)) if is_mine else [],
        "body": body.html,
        "own": body.own,
        "description": body.description,
    }
    return render(request, "pages/participant.html", context)


def _key(request: HttpRequest, board: VisibleBoard, called: Called) -> Hashable:
    """What the page depends on, for readers from whom nothing is hidden."""
    attempts = _attempts(board.challenge, called, board.access)
    states = attempts.values_list("pk", "status", "withdrawn_at")[: ATTEMPTS_PER_PAGE + 1]
    return (reader_key(request, [board.board], board), board.board.pk, called, tuple(states))


def _body(
    request: HttpRequest, challenge: Challenge, board: VisibleBoard, called: Called
) -> ParticipantBody:
    """What all readers of the page share."""
    who, access = called.participant, board.access
    row = board.standing_of(who) if called.covers(board.phase_id) else None
    around = _around(board, row)
    page = _attempt_page(request, challenge, called, access)
    keys = keys_in(around) | _keys_in(page.readings)
    columns = row_labels.spoken(filled(ranking.columns_of(challenge), keys))
    certain = certainty_of(board, around) if row else None
    neighbours = with_marks(board.board, around, lines(columns, around, own=row)) if row else []
    neighbours = with_certainty(certain, around, neighbours)
    context = {
        "challenge": challenge,
        "participant": _named_as_asked(who, called, board),
        "row_query": phase_query(board),
        "columns": columns,
        "totals": board.totals(),
        "verdict": {"has_intervals": bool(certain and certain.has_intervals)},
        "lead": uncertain_lead(certain, columns[0]) if row and row.rank == 1 else "",
        "next_rank": next_rank(board, row, columns) if row and row.rank is not None else "",
        **_tables(request, columns, neighbours, page),
        "paging": page.paging,
        "profile": profile(board, row, columns),
        "timeline": timeline(board, row, columns[0]) if columns else {},
        "why": why_it_counts(board, row, is_alone=page.is_only),
    }
    html = render_to_string("pages/participant_body.html", context, without_reader(request))
    return ParticipantBody(
        html, _description(challenge, columns, row, certain), own=row is not None
    )


def _description(
    challenge: Challenge,
    columns: Sequence[Column],
    row: BoardRow | None,
    certain: VisibleCertainty | None,
) -> str:
    """The standing in a line, for search engines and previews of links; "" without a rank."""
    if row is None or row.rank is None or not columns:
        return ""
    return _("{challenge}: rank {rank}, {label} {value}").format(
        challenge=challenge.name,
        rank=ranked_text(certain, row),
        label=row_labels.marked(columns[0]),
        value=value_text(columns[0], row),
    )


def _around(board: VisibleBoard, row: BoardRow | None) -> list[BoardRow]:
    """The participant's row between its neighbours; empty without a row."""
    if row is None:
        return []
    above, below = board.around(row)
    return [*above, row, *below]


def _attempt_page(
    request: HttpRequest, challenge: Challenge, called: Called, access: Access
) -> AttemptPage:
    """The page of attempts that the URL asks for, the newest first. Raises Http404 without one."""
    number = page_asked(request)
    start = (number - 1) * ATTEMPTS_PER_PAGE
    newest = _attempts(challenge, called, access)
    newest = newest.select_related("participant", "scoring_config")
    attempts = list(newest[start : start + ATTEMPTS_PER_PAGE + 1])
    if not attempts and (number > 1 or not access.is_limited):
        raise Http404("There is no such page.")
    readings = read_attempts(
        challenge, attempts[:ATTEMPTS_PER_PAGE], reader=None, organiser=False, access=access
    )
    paging = uncounted(number, has_next=len(attempts) > ATTEMPTS_PER_PAGE)
    return AttemptPage(readings, paging, is_only=number == 1 and len(attempts) == 1)


def _attempts(challenge: Challenge, called: Called, access: Access) -> QuerySet[Attempt]:
    """The attempts of a participant that the reader may see, the newest first."""
    mine = challenge.attempts.filter(called.attempts(), access.attempts())
    return mine.order_by("-submitted_at", "-id")


def _tables(
    request: HttpRequest,
    columns: list[Column],
    neighbours: Sequence[TableLine],
    page: AttemptPage,
) -> PageContext:
    """The table of neighbours on the board, and that of attempts; both have the same columns.

    neighbours: the participant's own row, and those above and below it.
    """
    notes, tried = notes_asked(request), _tried(columns, page.readings)
    return {
        "own": next((line for line in neighbours if line.is_own), None),
        "neighbours": neighbours if len(neighbours) > 1 else [],
        "attempts": tried,
        "fits": ColumnFits(),
        "is_wide": is_wide(headers(columns, ""), neighbours, notes=notes),
        "are_noted": are_noted(
            [*(line.cells for line in neighbours), *(line.cells for line in tried)]
        ),
        "notes": notes,
    }


def _named_as_asked(who: Participant, called: Called, board: VisibleBoard) -> Participant:
    """The participant by the name in the address."""
    return board.access.participant(who, board.phase_id) if called.is_alias else who


def _renamed(access: Access, challenge: Challenge, slug: str) -> Participant | None:
    """The participant of the challenge that had this address before."""
    renamed = renamed_for(access, challenge, slug)
    if renamed is None or not takes_part(board_about(access, challenge, renamed), renamed):
        return None
    return renamed.participant


def values_of(attempt: Attempt, score: ReadScore | None) -> dict[str, float]:
    """An attempt's numbers by the names of columns."""
    facts = {name: value for name, value in attempt.metrics().items() if value is not None}
    values = {name: float(value) for name, value in facts.items() if name != "created_at"}
    measured = {key: state["value"] for key, state in states_of(score).items()}
    values |= attempt.values | {key: value for key, value in measured.items() if value is not None}
    if score is not None and score.value is not None:
        values["score"] = score.value
    return values


def states_of(score: ReadScore | None) -> Mapping[str, MetricValue]:
    """The states of an attempt's metric values, by key."""
    return score.metric_values if score else {}


def _keys_in(readings: Sequence[Reading]) -> set[str]:
    return {key for reading in readings for key in values_of(reading.attempt, reading.score)}


def _tried(columns: Sequence[Column], readings: Iterable[Reading]) -> list[AttemptLine]:
    texts = texts_of(columns)
    return [_line(texts, reading) for reading in readings]


def _line(texts: Sequence[CellTexts], reading: Reading) -> AttemptLine:
    attempt = reading.attempt
    return AttemptLine(
        attempt=attempt,
        cells=cells(
            texts,
            values_of(attempt, reading.score),
            attempt.submitted_at,
            states_of(reading.score),
        ),
        status=reading.status,
        status_text=row_labels.status("hidden" if reading.status_hidden else reading.status),
        note=_note(attempt, reading.score),
        counts=reading.counts and reading.rank is not None,
        is_chosen=reading.is_chosen,
    )


def _note(attempt: Attempt, score: ReadScore | None) -> str:
    if attempt.withdrawn_at is not None:
        return _("Withdrawn")
    if score is not None and score.error_code:
        return row_labels.error(score.error_code)
    return _("Clamped to 0") if score is not None and score.clamped else ""
