"""The list of challenges: the leader of each and its number of participants, in few queries."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.cache import cache
from django.db.models import Count, OuterRef, Subquery

from leaderboard.models import Board, Challenge, Standing
from leaderboard.models.standing import StandingQuerySet
from leaderboard.services.board.boards import current_boards

COUNTS_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Listed:
    """A challenge in a list. `leader` is None while no participant is ranked.

    phase_id: of the phase whose board this is; None if a former release made the challenge.
    """

    challenge: Challenge
    phase_id: int | None
    leader: Standing | None
    participants: int


def listed(challenges: Sequence[Challenge], frozen: Collection[int]) -> list[Listed]:
    """These challenges with their leaders: the same few queries for any number of them.

    frozen: the ids of phases of which the reader sees the board before their freeze.
    """
    samples = [each.sample_id for each in challenges if each.sample_id]
    first = _without(samples).filter(board=OuterRef("pk")).order_by("sort_key")
    among = Board.objects.annotate(first=Subquery(first.values("pk")[:1]))
    boards: Mapping[UUID, Any] = {
        key: board.before_freeze if board.phase_id in frozen else board
        for key, board in current_boards(challenges, among).items()
    }
    leaders = Standing.objects.with_names().in_bulk(
        [each.first for each in boards.values() if each and each.first]
    )
    counts = _participants([each for each in boards.values() if each], samples)
    return [_listed(row, boards.get(row.pk), leaders, counts) for row in challenges]


def _listed(
    challenge: Challenge, board: Any, leaders: Mapping[int, Standing], counts: Mapping[int, int]
) -> Listed:
    """board: with the id of its `first` standing; None if it is not there yet."""
    if board is None or not board.is_complete:
        return Listed(challenge, board.phase_id if board else None, None, 0)
    leader = _ranked(leaders.get(board.first))
    return Listed(challenge, board.phase_id, leader, counts[board.pk])


def _ranked(standing: Standing | None) -> Standing | None:
    return None if standing is None or standing.unranked else standing


def _without(samples: Sequence[UUID]) -> StandingQuerySet:
    """The standings without those of the sample attempts of drafts."""
    return Standing.objects.exclude(attempt__in=samples) if samples else Standing.objects.all()


def _participants(boards: Sequence[Board], samples: Sequence[UUID]) -> dict[int, int]:
    """How many participants each board has, counted once per version of the board."""
    keys = {f"participants:{board.pk}:{board.version}": board.pk for board in boards}
    known = cache.get_many(keys)
    unknown = {key: board for key, board in keys.items() if key not in known}
    counted = dict(
        _without(samples)
        .filter(board__in=unknown.values())
        .values_list("board")
        .annotate(Count("pk"))
    )
    fresh = {key: counted.get(board, 0) for key, board in unknown.items()}
    cache.set_many(fresh, COUNTS_SECONDS)
    return {keys[key]: count for key, count in (known | fresh).items()}
