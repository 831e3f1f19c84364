"""`/c/{slug}/manage/attempts/`: organisers find attempts of all participants, the newest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.models import Attempt, Challenge, Participant
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.rank_ranges import rank_range_of
from leaderboard.pages.participants.page import states_of, values_of
from leaderboard.pages.shared.access import access_in, organised_or_404, signed_in
from leaderboard.pages.shared.paging import page_asked, uncounted
from leaderboard.pages.shared.phases import phases_of
from leaderboard.pages.tables.board_table import TableCell, cells
from leaderboard.pages.tables.cell_texts import CellTexts, texts_of
from leaderboard.services.attempts.read import read_attempts
from leaderboard.services.attempts.reading import Reading
from leaderboard.services.board.reading.ranking import columns_of
from leaderboard.services.competition.visible.certainty import VisibleCertainty, certainties_in

PER_PAGE: Final = 50
MOST_PARTICIPANTS: Final = 200
"""The most participants whose attempts a search finds."""
LONGEST_SEARCH: Final = 120
STATES: Final[Mapping[str, tuple[str | Promise, Q]]] = {
    "waiting": (gettext_lazy("Waiting"), Q(status__in=("queued", "scoring"))),
    "held": (gettext_lazy("Held"), Q(status="held")),
    "scored": (gettext_lazy("Scored"), Q(status="scored", withdrawn_at=None)),
    "failed": (gettext_lazy("Failed"), Q(status="failed", withdrawn_at=None)),
    "withdrawn": (gettext_lazy("Withdrawn"), Q(withdrawn_at__isnull=False)),
}
"""What one may ask for: the label and the condition."""


@dataclass(frozen=True, slots=True)
class ManagedAttempt:
    """An attempt in the list. error: why it has no score, "" if it has one or waits. rank_range:
    its rank interval, and its meaning."""

    reading: Reading
    status_text: str
    error: str
    main: TableCell | None
    rank_range: str
    rank_range_hint: str


@login_required
@never_cache
@require_safe
def manage_attempts(request: HttpRequest, slug: str) -> HttpResponse:
    """`?state=failed` lists some, `?q=atlas` those of participants, `?page=2` earlier ones."""
    challenge = organised_or_404(request, slug)
    state, search = request.GET.get("state", ""), request.GET.get("q", "")[:LONGEST_SEARCH].strip()
    if state and state not in STATES:
        raise Http404("There is no such state.")
    number = page_asked(request)
    start = (number - 1) * PER_PAGE
    page_and_next = list(_matching(challenge, state, search)[start : start + PER_PAGE + 1])
    if number > 1 and not page_and_next:
        raise Http404("There is no such page.")
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "attempts",
        "state": state,
        "states": [(key, label) for key, (label, _condition) in STATES.items()],
        "search": search,
        "phases": phases_of(challenge),
        "attempts": _rows(request, challenge, page_and_next[:PER_PAGE]),
        "paging": uncounted(number, has_next=len(page_and_next) > PER_PAGE),
    }
    return render(request, "pages/manage/attempts.html", context)


def _matching(challenge: Challenge, state: str, search: str) -> AttemptQuerySet:
    attempts = challenge.attempts.select_related(
        "participant", "scoring_config", "phase", "submitted_by"
    )
    if state:
        attempts = attempts.filter(STATES[state][1])
    if search:
        participants = Participant.objects.named_at(challenge).filter(
            Q(handle__icontains=search) | Q(name__icontains=search)
        )
        attempts = attempts.filter(participant__in=list(participants[:MOST_PARTICIPANTS]))
    return attempts.order_by("-submitted_at", "-id")


def _rows(
    request: HttpRequest, challenge: Challenge, attempts: list[Attempt]
) -> list[ManagedAttempt]:
    access = access_in(request, challenge)
    readings = read_attempts(
        challenge, attempts, reader=signed_in(request), organiser=True, access=access
    )
    are_ranked = any(reading.rank is not None for reading in readings)
    certain = certainties_in(challenge, access) if are_ranked else {}
    columns = row_labels.spoken(columns_of(challenge))
    main_column = texts_of([column for column in columns if column.ranked][:1])
    return [
        _row(reading, main_column, certain.get(reading.attempt.phase_id)) for reading in readings
    ]


def _row(
    reading: Reading, main_column: Sequence[CellTexts], certain: VisibleCertainty | None
) -> ManagedAttempt:
    """main_column: how the first ranked column is written; empty if the board ranks by none."""
    attempt, score = reading.attempt, reading.score
    status = "held" if reading.is_held else reading.status
    error_code = score.error_code if score else ""
    values, states = values_of(attempt, score), states_of(score)
    rank_range = rank_range_of(certain if reading.rank is not None else None, attempt.pk)
    return ManagedAttempt(
        reading,
        row_labels.status(status),
        row_labels.error(error_code) if error_code else "",
        next(iter(cells(main_column, values, attempt.submitted_at, states)), None),
        *rank_range,
    )
