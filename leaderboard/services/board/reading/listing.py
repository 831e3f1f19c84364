"""The list of challenges: the first rows of each and its number of participants, in few queries.

Pages read it through `competition.visible_listing`, which leaves out what a reader may not see.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.core.cache import cache
from django.db.models import Case, Count, Exists, OuterRef, Q, Subquery, When
from django.db.models.functions import Coalesce, Now

from leaderboard.models import Attempt, Board, Challenge, Phase, Standing
from leaderboard.models.challenge import ChallengeQuerySet
from leaderboard.models.standing import StandingQuerySet
from leaderboard.rules.ranking.places import ranks
from leaderboard.schemas.choices import AttemptsVisibility
from leaderboard.services.board.boards import current_boards
from leaderboard.services.board.reading.rows import BoardRow, RowParticipant

COUNTS_SECONDS = 3600
LEADERS: Final = 3
"""How many rows of a board the list shows."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A challenge in a list, with the first ranked rows of its current board.

    board: None if a former release made the challenge, or if nothing is before its freeze.
    """

    challenge: Challenge
    board: Board | None
    leaders: Sequence[BoardRow]
    participants: int


def by_activity(challenges: ChallengeQuerySet, *, is_open: bool | None = None) -> ChallengeQuerySet:
    """Challenges by their last attempt, or without one by their creation, the newest first.

    is_open: leaves out those that do not take attempts now, or that do.

    Adds `last_attempt_at`, which is None where attempts are hidden from some readers, `is_open` and
    `active_at`.
    """
    newest = Attempt.objects.filter(challenge=OuterRef("pk")).order_by("-submitted_at", "-id")
    phases = Phase.objects.filter(challenge=OuterRef("pk"))
    hides = Exists(phases.exclude(attempts_visibility=AttemptsVisibility.PUBLIC))
    begun = Q(opens_at=None) | Q(opens_at__lte=Now())
    going_on = Q(closes_at=None) | Q(closes_at__gt=Now())
    listed_challenges = challenges.annotate(
        last_attempt_at=Case(
            When(Q(is_draft=True) | hides, then=None),
            default=Subquery(newest.values("submitted_at")[:1]),
        ),
        is_open=Q(is_active=True) & Exists(phases.filter(begun, going_on)),
    )
    if is_open is not None:
        listed_challenges = listed_challenges.filter(is_open=is_open)
    at = Coalesce("last_attempt_at", "created_at")
    return listed_challenges.annotate(active_at=at).order_by("-active_at", "name", "pk")


def listed(challenges: Sequence[Challenge], frozen: Collection[int]) -> list[Listed]:
    """These challenges with their leaders: the same few queries for any number of them.

    frozen: the ids of phases of which the reader sees the board before their freeze.
    """
    samples = [challenge.sample_id for challenge in challenges if challenge.sample_id]
    first = _without(samples).filter(board=OuterRef("pk")).order_by("sort_key").values("pk")
    places = {f"first_{at}": Subquery(first[at : at + 1]) for at in range(LEADERS)}
    among = Board.objects.annotate(**places)
    boards: Mapping[UUID, Any] = {
        key: board.before_freeze if board.phase_id in frozen else board
        for key, board in current_boards(challenges, among).items()
    }
    wanted = [pk for board in boards.values() for pk in _firsts(board)]
    standings = Standing.objects.with_names().in_bulk(wanted)
    counts = _participants([board for board in boards.values() if board], samples)
    return [_listed(row, boards.get(row.pk), standings, counts) for row in challenges]


def _listed(
    challenge: Challenge, board: Any, standings: Mapping[int, Standing], counts: Mapping[int, int]
) -> Listed:
    """board: with the ids of its first standings; None if it is not there yet."""
    if board is None or not board.is_complete:
        return Listed(challenge, board, [], 0)
    leaders = [standings[pk] for pk in _firsts(board) if pk in standings]
    return Listed(challenge, board, list(_ranked(leaders)), counts[board.pk])


def _firsts(board: Any) -> list[int]:
    leader_ids = (getattr(board, f"first_{at}") for at in range(LEADERS)) if board else ()
    return [pk for pk in leader_ids if pk is not None]


def _ranked(standings: Iterable[Standing]) -> Iterator[BoardRow]:
    """The ranked ones of the first standings of a board, as rows."""
    ranked = [standing for standing in standings if not standing.unranked]
    keys = [standing.rank_key for standing in ranked]
    for rank, standing in zip(ranks(keys), ranked, strict=True):
        who = standing.participant
        yield BoardRow(
            rank=rank,
            tied=keys.count(standing.rank_key) > 1,
            unranked="",
            participant=RowParticipant(who.pk, who.handle, who.slug, who.name, who.kind),
            attempt_id=standing.attempt_id,
            values=standing.values,
            cells=standing.cells,
            attempts=standing.attempts,
            reached_at=standing.reached_at,
            sort_key=bytes(standing.sort_key),
            stored={},
        )


def _without(samples: Sequence[UUID]) -> StandingQuerySet:
    """The standings without those of the sample attempts of drafts."""
    return Standing.objects.exclude(attempt__in=samples) if samples else Standing.objects.all()


def _participants(boards: Sequence[Board], samples: Sequence[UUID]) -> dict[int, int]:
    """How many participants each board has, counted once per version of the board."""
    keys = {f"participants:{board.pk}:{board.version}": board.pk for board in boards}
    cached = cache.get_many(keys)
    unknown = {key: board for key, board in keys.items() if key not in cached}
    counted = dict(
        _without(samples)
        .filter(board__in=unknown.values())
        .values_list("board")
        .annotate(Count("pk"))
    )
    fresh = {key: counted.get(board, 0) for key, board in unknown.items()}
    cache.set_many(fresh, COUNTS_SECONDS)
    return {keys[key]: count for key, count in (cached | fresh).items()}
