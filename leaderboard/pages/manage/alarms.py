"""What organisers should look at first: each alarm is a sentence with a link."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from django.db.models import Exists, OuterRef
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.languages.translation import count_text
from leaderboard.models import Attempt, Challenge, Participant
from leaderboard.pages.shared.access import board_for
from leaderboard.services.board.boards import board_at
from leaderboard.services.competition.organisers.overview import Overview
from leaderboard.services.competition.visible.certainty import certainty_of

MOST_NAMES: Final = 1000
"""Of so many participants, the newest ones, the names are compared."""
_ALIKE: Final = str.maketrans("015$@|!", "olssaii")


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
    for names in _alike(challenge):
        text = _("Names that look alike: {names}").format(names=", ".join(names))
        alarms.append(Alarm(text, people, _("People")))
    return [*alarms, *_order(request, challenge)]


def _counted(text: str, count: int, url: str, link: str) -> Alarm:
    return Alarm(text.format(count=count_text(count)), url, link)


def _order(request: HttpRequest, challenge: Challenge) -> Iterator[Alarm]:
    """Whether the board separates nobody from its leader."""
    certain = certainty_of(board_for(request, board_at(challenge)))
    if certain is None or certain.verdict.state in ("alone", "clear_lead"):
        return
    if not any(rival.told_apart for rival in certain.verdict.rivals):
        text = _("The board tells nobody apart from its leader.")
        yield Alarm(text, reverse("board", args=[challenge.slug]), _("Leaderboard"))


def _alike(challenge: Challenge) -> Sequence[list[str]]:
    """Names of participants that differ by no more than signs, spaces and look-alike letters."""
    tried = Attempt.objects.filter(challenge=challenge, participant=OuterRef("pk"))
    participants = Participant.objects.filter(Exists(tried))
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for participant in participants.order_by("-pk")[:MOST_NAMES]:
        groups[look_of(participant.shown_name)].append(participant.shown_name)
    return [sorted(names) for names in groups.values() if len(names) > 1]


def look_of(name: str) -> str:
    """What a name looks like: its letters without case, accents and signs."""
    plain = unicodedata.normalize("NFKD", name).casefold().translate(_ALIKE)
    return "".join(letter for letter in plain if letter.isalnum()) or name
