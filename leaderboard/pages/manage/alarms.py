"""What organisers should look at first: each alarm is a sentence with a link."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.languages.translation import count_text
from leaderboard.models import Challenge
from leaderboard.pages.shared.access import board_for
from leaderboard.services.board.boards import board_at
from leaderboard.services.competition.organisers.overview import Overview
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import VisibleCertainty, certainty_of
from leaderboard.services.standing.review import open_appeals, waiting_for_review
from leaderboard.services.standing.suspicions import alike_names, copies_on, linked_names

LEAST_JUMP: Final = 10
"""The least ranks that a participant rises in a week for an alarm."""


class Alarm(NamedTuple):
    """A sentence, and where it leads to with which words."""

    text: str
    url: str
    link: str


def alarms_of(request: HttpRequest, challenge: Challenge, figures: Overview) -> list[Alarm]:
    """The alarms of a challenge, those that wait for the organiser first."""
    slug, waiting = challenge.slug, figures.waiting
    people = reverse("challenge-people", args=[slug])
    alarms = []
    if waiting.held:
        text = ngettext(
            "{count} attempt waits for you, because the code of a plugin has changed.",
            "{count} attempts wait for you, because the code of a plugin has changed.",
            waiting.held,
        )
        alarms.append(_counted(text, waiting.held, reverse("board", args=[slug]), _("Decide")))
    if waiting.registrations:
        text = ngettext(
            "{count} registration waits for you.",
            "{count} registrations wait for you.",
            waiting.registrations,
        )
        alarms.append(_counted(text, waiting.registrations, people, _("Accept or decline")))
    if failed := sum(failure.attempts for failure in figures.last.failures):
        text = ngettext(
            "{count} attempt failed in the last 30 days.",
            "{count} attempts failed in the last 30 days.",
            failed,
        )
        alarms.append(_counted(text, failed, "#failures", _("By reason")))
    if figures.full:
        text = ngettext("{count} limit is used up.", "{count} limits are used up.", figures.full)
        alarms.append(_counted(text, figures.full, "#limits", _("By whom")))
    board = board_for(request, board_at(challenge))
    alarms += [*_reviews(challenge), *_suspicions(challenge, board)]
    if certain := certainty_of(board):
        alarms += [*_jumps(board, certain), *_order(board, certain)]
    return alarms


def _counted(text: str, count: int, url: str, link: str) -> Alarm:
    return Alarm(text.format(count=count_text(count)), url, link)


def _reviews(challenge: Challenge) -> Iterator[Alarm]:
    queue = reverse("review", args=[challenge.slug])
    if count := waiting_for_review(challenge).count():
        text = ngettext(
            "{count} attempt waits for a review.", "{count} attempts wait for a review.", count
        )
        yield _counted(text, count, queue, _("Review"))
    if count := len(open_appeals(challenge)):
        text = ngettext(
            "{count} appeal waits for an answer.", "{count} appeals wait for an answer.", count
        )
        yield _counted(text, count, queue, _("Review"))


def _suspicions(challenge: Challenge, board: VisibleBoard) -> Iterator[Alarm]:
    """What may have a good reason, and should be looked at all the same."""
    people = reverse("challenge-people", args=[challenge.slug])
    for copy in copies_on(board.board):
        text = _("{name} has the results, outputs or file of {other}, who was first.")
        name, other = copy.names
        address = reverse("attempt", args=[copy.attempt])
        yield Alarm(text.format(name=name, other=other), address, _("Attempt"))
    for names in alike_names(challenge):
        text = _("Names that look alike: {names}").format(names=", ".join(names))
        yield Alarm(text, people, _("People"))
    for names in linked_names(challenge):
        text = _("Accounts that may belong to one person: {names}")
        yield Alarm(text.format(names=", ".join(names)), people, _("People"))


def _jumps(board: VisibleBoard, certain: VisibleCertainty) -> Iterator[Alarm]:
    """Participants that have passed a third of the board, and at least ten others, in a week."""
    least = max(LEAST_JUMP, certain.ranked / 3)
    for row in board.page_number(1).rows:
        if (risen := certain.moved(row)) >= least:
            text = ngettext(
                "{name} has risen by {count} rank within a week.",
                "{name} has risen by {count} ranks within a week.",
                risen,
            ).format(name=row.participant.shown_name, count=count_text(risen))
            yield Alarm(text, reverse("attempt", args=[row.attempt_id]), _("Attempt"))


def _order(board: VisibleBoard, certain: VisibleCertainty) -> Iterator[Alarm]:
    """Whether the board separates nobody from its leader."""
    if certain.verdict.state in ("alone", "clear_lead"):
        return
    if not any(rival.told_apart for rival in certain.verdict.rivals):
        text = _("The board tells nobody apart from its leader.")
        yield Alarm(text, reverse("board", args=[board.challenge.slug]), _("Leaderboard"))
