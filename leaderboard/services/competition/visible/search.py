"""Participants of all challenges by a part of their names, as far as a reader may know of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q

from leaderboard.models import Challenge, Participant, Phase, Standing
from leaderboard.models.standing import StandingQuerySet
from leaderboard.rules.texts.names import name_key
from leaderboard.rules.visibility.view import Extent
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.viewers import Viewer, accesses_of

LEAST: Final = 2
"""The fewest characters to search for: a shorter text is a part of too many names."""
MOST_PLACES: Final = 500


@dataclass(frozen=True, slots=True)
class FoundParticipant:
    """A participant and the challenges on whose boards the reader sees it under its name."""

    participant: Participant
    challenges: Sequence[Challenge]


@dataclass(frozen=True, slots=True)
class FoundParticipants:
    """The first participants that a search finds. has_more: whether there are others."""

    participants: Sequence[FoundParticipant]
    has_more: bool


def search_participants(text: str, reader: Viewer, *, most: int) -> FoundParticipants:
    """The first `most` participants whose handle or name contains a text, by their handles.

    Only rows of boards that lists name, and on which the reader sees everyone by name.
    """
    if len(text) < LEAST:
        return FoundParticipants([], has_more=False)
    rows = _rows(reader)
    matches = Q(handle_key__contains=name_key(text)) | Q(name__icontains=text)
    on_a_board = Exists(rows.filter(participant=OuterRef("pk")))
    ordered = Participant.objects.filter(matches, on_a_board).order_by("handle_key", "pk")
    participants = list(ordered[: most + 1])
    places = _places(rows, participants[:most])
    return FoundParticipants(
        [
            FoundParticipant(participant, places.get(participant.pk, []))
            for participant in participants[:most]
        ],
        has_more=len(participants) > most,
    )


def _rows(reader: Viewer) -> StandingQuerySet:
    """The standings that the reader may search: those of open boards, and of some restricted ones.

    Without the sample attempts of drafts.
    """
    listed = Challenge.objects.listed_for(reader.user)
    plain = listed.filter(is_restricted=False)
    of_config = "board__config__challenge"
    rows = Standing.objects.filter(board__config=F(f"{of_config}__shown_config"))
    rows = rows.filter(board__filled_to=None, **{f"{of_config}__is_draft": False})
    wanted = Q(board__until=None, **{f"{of_config}__in": plain})
    restricted = list(listed.filter(is_restricted=True))
    return rows.filter(wanted | _restricted(restricted, reader))


def _restricted(challenges: Sequence[Challenge], reader: Viewer) -> Q:
    """The standings of restricted challenges that the reader sees by name, as a condition."""
    accesses = accesses_of(challenges, reader)
    unfrozen: list[int] = []
    frozen: list[int] = []
    for phase_id, access in _phases(accesses):
        view = access.view(phase_id)
        if view.board is Extent.ALL and view.names is Extent.ALL:
            (frozen if phase_id in access.frozen else unfrozen).append(phase_id)
    return Q(board__phase__in=unfrozen, board__until=None) | Q(
        board__phase__in=frozen, board__until=F("board__phase__freezes_at")
    )


def _phases(accesses: Mapping[UUID, Access]) -> Sequence[tuple[int, Access]]:
    """The phases of challenges with what the reader sees of each."""
    phases = Phase.objects.filter(challenge__in=accesses).values_list("pk", "challenge")
    return [(pk, accesses[challenge]) for pk, challenge in phases]


def _places(
    rows: StandingQuerySet, participants: Sequence[Participant]
) -> dict[int, list[Challenge]]:
    """The challenges of each participant, by its id."""
    named = rows.filter(participant__in=[participant.pk for participant in participants])
    pairs = named.values_list("participant", "board__config__challenge").distinct()[:MOST_PLACES]
    places = list(pairs)
    challenges = Challenge.objects.in_bulk({challenge for _, challenge in places})
    challenges_by_participant: dict[int, list[Challenge]] = {}
    for participant, challenge in places:
        challenges_by_participant.setdefault(participant, []).append(challenges[challenge])
    return {
        key: sorted(those, key=lambda challenge: challenge.name)
        for key, those in challenges_by_participant.items()
    }
