"""Computes the boards of arenas; workers do this between other work."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import numpy as np
from django.db.models import F, OuterRef, Q, Subquery
from django.utils import timezone

from leaderboard.models import Arena, Phase, Vote
from leaderboard.rules.statistics.arenas import ArenaRow, arena_rows
from leaderboard.rules.statistics.bradley_terry import Votes

MOST_VOTES: Final = 500_000
"""Of an arena with more votes, the newest count."""
AT_ONCE: Final = 5


def look_after_arenas() -> int:
    """Compute the boards of arenas with new votes; returns of how many.

    While a phase of the challenge is frozen, the arena is too: it counts the votes before the
    freeze, and those since then after the reveal.
    """
    now = timezone.now()
    frozen = Phase.objects.filter(
        Q(reveals_at=None) | Q(reveals_at__gt=now), challenge=OuterRef("pk"), freezes_at__lte=now
    )
    waiting = (
        Arena.objects.exclude(version=F("computed_version"))
        .annotate(frozen_at=Subquery(frozen.order_by("freezes_at").values("freezes_at")[:1]))
        .filter(Q(frozen_at=None) | Q(computed_at=None) | Q(computed_at__lt=F("frozen_at")))
        .order_by("computed_at")
    )
    some = list(waiting[:AT_ONCE])
    for arena in some:
        compute(arena, until=arena.frozen_at)
    return len(some)


def compute(arena: Arena, *, until: datetime | None) -> None:
    """Store the board of an arena for the version that was read before its votes.

    until: the moment of a freeze; later votes do not count, and the board is not current.
    """
    votes = Vote.objects.filter(challenge=arena.challenge_id).order_by("-pk")
    if until is not None:
        votes = votes.filter(at__lt=until)
    values = list(votes.values_list("first_id", "second_id", "outcome", "voter")[:MOST_VOTES])
    rows: list[ArenaRow] = []
    voters = 0
    if values:
        first, second, outcomes, names = zip(*values, strict=True)
        ids, numbers = np.unique(np.array([first, second]), return_inverse=True)
        numbers = numbers.reshape(2, -1)
        known_voters, by_voter = np.unique(np.array(names), return_inverse=True)
        voters = int(known_voters.size)
        counted = Votes(numbers[0], numbers[1], np.array(outcomes, dtype=float), by_voter)
        rows = arena_rows(counted, ids.size)
        for row in rows:
            row["system"] = int(ids[row["system"]])
    Arena.objects.filter(pk=arena.pk).update(
        rows=rows,
        votes=len(values),
        voters=voters,
        computed_version=arena.computed_version if until else arena.version,
        computed_at=timezone.now(),
    )
