"""The checklist of a draft on the page on which its organisers manage it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from leaderboard.models import Challenge
from leaderboard.pages.labels import row_labels
from leaderboard.pages.shared.access import board_for, signed_in
from leaderboard.pages.tables.board_table import (
    TableHeader,
    TableLine,
    filled,
    headers,
    keys_in,
    lines,
)
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.services.board.boards import board_of_attempt
from leaderboard.services.board.reading import ranking
from leaderboard.services.challenges.checklist import Checklist, Point, checklist
from leaderboard.services.challenges.samples import SentSample

NAMES: Final[Mapping[str, str | Promise]] = {
    "description": gettext_lazy("Description"),
    "scoring": gettext_lazy("Scoring"),
    "ranking": gettext_lazy("Ranking"),
    "references": gettext_lazy("References"),
    "phases": gettext_lazy("Phases"),
    "registration": gettext_lazy("Registration"),
    "terms": gettext_lazy("Terms"),
    "sample": gettext_lazy("Sample attempt"),
}
STATES: Final[Mapping[str, str | Promise]] = {
    "ok": gettext_lazy("Done"),
    "warning": gettext_lazy("Look at it"),
    "missing": gettext_lazy("Missing"),
}


class ShownPoint(NamedTuple):
    """A point with its name, and its state in words."""

    point: Point
    name: str | Promise
    state: str | Promise


class SamplePreview(NamedTuple):
    """The board with the sample attempt in it."""

    headers: list[TableHeader]
    line: TableLine


def checklist_of(request: HttpRequest, challenge: Challenge) -> PageContext:
    """What the template `checklist.html` shows of a draft."""
    draft: Checklist = checklist(challenge, signed_in(request))
    return {
        "checklist": draft,
        "points": [
            ShownPoint(point, NAMES[point.key], STATES[point.state]) for point in draft.points
        ],
        "sample": draft.sample,
        "is_waiting": draft.sample is not None and draft.sample.state == "waiting",
        "board_preview": _preview(request, challenge, draft.sample) if draft.sample else None,
    }


def _preview(
    request: HttpRequest, challenge: Challenge, sample: SentSample
) -> SamplePreview | None:
    """The row of the sample on its board, with the columns; None if it has none."""
    sample.attempt.challenge = challenge
    board = board_for(request, board_of_attempt(sample.attempt))
    row = board.standing_of(sample.attempt.participant)
    if row is None or not sample.reading.counts:
        return None
    columns = row_labels.spoken(filled(ranking.columns_of(challenge), keys_in([row])))
    return SamplePreview(headers(columns, ""), lines(columns, [row])[0])
