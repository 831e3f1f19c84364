"""The list of challenges: the leader of each and its number of participants, in few queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import Count, OuterRef, Subquery

from leaderboard.models import Challenge, Standing
from leaderboard.models.challenge import ChallengeQuerySet

COUNTS_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Listed:
    """A challenge in a list. `leader` is None while no participant is ranked."""

    challenge: Challenge
    leader: Standing | None
    participants: int


def listed(challenges: ChallengeQuerySet) -> list[Listed]:
    """These challenges with their leaders: the same few queries for any number of them."""
    first = Standing.objects.filter(config=OuterRef("shown_config")).order_by("sort_key")
    found: list[Any] = list(
        challenges.select_related("shown_config").annotate(first=Subquery(first.values("pk")[:1]))
    )
    leaders = Standing.objects.with_names().in_bulk([row.first for row in found if row.first])
    counts = _participants(found)
    return [Listed(row, _ranked(leaders.get(row.first)), counts[row.pk]) for row in found]


def _ranked(standing: Standing | None) -> Standing | None:
    return None if standing is None or standing.unranked else standing


def _participants(challenges: Sequence[Challenge]) -> dict[object, int]:
    """How many participants each board has, counted once per version of the board."""
    keys = {
        f"participants:{row.shown_config_id}:{row.board_version}": row.shown_config_id
        for row in challenges
    }
    known = cache.get_many(keys)
    unknown = {key: config for key, config in keys.items() if key not in known}
    counted = dict(
        Standing.objects.filter(config__in=unknown.values())
        .values_list("config")
        .annotate(Count("pk"))
    )
    fresh = {key: counted.get(config, 0) for key, config in unknown.items()}
    cache.set_many(fresh, COUNTS_SECONDS)
    number = {keys[key]: count for key, count in (known | fresh).items()}
    return {row.pk: number[row.shown_config_id] for row in challenges}
