"""`/c/{slug}/p/{participant}/`: where a participant stands, and what it tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.columns import Column
from leaderboard.models import Attempt, Challenge, Score
from leaderboard.pages import words
from leaderboard.pages.access import challenge_or_404, participant_or_404
from leaderboard.pages.paging import page_asked, uncounted
from leaderboard.pages.table import Cell, cells, lines
from leaderboard.services import board
from leaderboard.services.reading import Reading, read_attempts

ATTEMPTS_PER_PAGE = 25


@dataclass(frozen=True, slots=True)
class AttemptLine:
    """An attempt in a list."""

    attempt: Attempt
    cells: list[Cell]
    status: str
    status_text: str
    note: str
    counts: bool


@require_safe
def participant_page(request: HttpRequest, slug: str, participant: str) -> HttpResponse:
    challenge = challenge_or_404(request, slug)
    who = participant_or_404(challenge, participant)
    columns = board.columns_of(challenge)
    row = board.standing_of(challenge, who)
    above, below = board.around(challenge, row) if row else ([], [])
    own = lines(columns, [row], row.attempt_id)[0] if row else None
    neighbours = lines(columns, [*above, row, *below], row.attempt_id) if row else []
    number = page_asked(request)
    start = (number - 1) * ATTEMPTS_PER_PAGE
    mine = who.attempts.filter(challenge=challenge).select_related("participant", "scoring_config")
    newest = mine.order_by("-submitted_at", "-id")
    attempts = list(newest[start : start + ATTEMPTS_PER_PAGE + 1])
    if not attempts:
        raise Http404("There is no such page.")
    context = {
        "challenge": challenge,
        "participant": who,
        "own": own,
        "columns": columns,
        "totals": board.totals_of(challenge),
        "neighbours": neighbours if len(neighbours) > 1 else [],
        "attempts": attempt_lines(challenge, columns, attempts[:ATTEMPTS_PER_PAGE]),
        "paging": uncounted(number, has_next=len(attempts) > ATTEMPTS_PER_PAGE),
        "is_mine": request.user.is_authenticated and who.owner_id == request.user.pk,
    }
    return render(request, "pages/participant.html", context)


def attempt_lines(
    challenge: Challenge, columns: list[Column], attempts: Sequence[Attempt]
) -> list[AttemptLine]:
    """Attempts with the values that they have under the shown config."""
    readings = read_attempts(challenge, attempts, reader=None, organiser=False)
    return [_line(columns, reading) for reading in readings]


def values_of(attempt: Attempt, score: Score | None) -> dict[str, float]:
    """An attempt's numbers by the names of columns."""
    facts = {name: value for name, value in attempt.metrics().items() if value is not None}
    values = {name: float(value) for name, value in facts.items() if name != "created_at"}
    if score is not None and score.value is not None:
        values["score"] = score.value
    return values


def _line(columns: list[Column], reading: Reading) -> AttemptLine:
    attempt = reading.attempt
    return AttemptLine(
        attempt=attempt,
        cells=cells(columns, values_of(attempt, reading.score), attempt.submitted_at),
        status=reading.status,
        status_text=words.status(reading.status),
        note=_note(attempt, reading.score),
        counts=reading.counts and reading.rank is not None,
    )


def _note(attempt: Attempt, score: Score | None) -> str:
    if attempt.withdrawn_at is not None:
        return "Withdrawn"
    if score is not None and score.error_code:
        return words.error(score.error_code)
    return "Clamped to 0" if score is not None and score.clamped else ""
