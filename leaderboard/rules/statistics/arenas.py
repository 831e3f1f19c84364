"""The board of an arena: ratings with intervals, and ranks that hold for all systems at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, TypedDict

import numpy as np

from leaderboard.rules.rewards.distributions import student_t
from leaderboard.rules.statistics.bradley_terry import (
    Votes,
    covariance,
    largest_component,
    strengths,
)
from leaderboard.rules.statistics.parts import Floats
from leaderboard.rules.statistics.probabilities import student_p
from leaderboard.rules.statistics.rank_intervals import simultaneous_ranks

MIDDLE: Final = 1000.0
"""The mean rating."""
SCALE: Final = 400.0 / math.log(10.0)
"""Rating points per unit of β, as in chess: 400 more points win ten times as often."""
MIN_VOTERS: Final = 8
"""Fewer voters give no interval."""

NotRated = Literal["not_connected", "no_votes"]


class ArenaRow(TypedDict):
    """A system of an arena, by its number.

    rating: None if it is `not_rated`. low, high: the 95 % interval, None below 8 voters. best,
    worst: the ranks that it may have, with 95 % confidence for all systems at once.
    """

    system: int
    votes: int
    rating: float | None
    rank: int | None
    low: float | None
    high: float | None
    best: int | None
    worst: int | None
    not_rated: NotRated | None


def arena_rows(votes: Votes, systems: int) -> list[ArenaRow]:
    """The systems, best first, then those that cannot be rated."""
    wins = votes.wins(systems)
    played = np.bincount(votes.first, minlength=systems)
    played += np.bincount(votes.second, minlength=systems)
    rated = largest_component(wins)
    if rated.size < 2:
        rated = np.arange(0)
    rows = _rated(votes.among(rated), rated.tolist(), played.tolist()) if rated.size else []
    return rows + [
        _unrated(system, int(played[system])) for system in range(systems) if system not in rated
    ]


def _rated(votes: Votes, systems: Sequence[int], played: Sequence[int]) -> list[ArenaRow]:
    beta = strengths(votes.wins(len(systems)))
    values = np.round(MIDDLE + SCALE * (beta - beta.mean()), 6)
    voters = np.unique(votes.voters).size
    spread = covariance(votes, beta) * SCALE**2 if voters >= MIN_VOTERS else None
    ends = _intervals(values, spread, voters)
    ranks = 1 + (values[:, np.newaxis] < values).sum(axis=1)
    rows: list[ArenaRow] = [
        {
            "system": system,
            "votes": played[system],
            "rating": float(values[at]),
            "rank": int(ranks[at]),
            "low": ends[at][0],
            "high": ends[at][1],
            "best": ends[at][2],
            "worst": ends[at][3],
            "not_rated": None,
        }
        for at, system in enumerate(systems)
    ]
    return sorted(rows, key=lambda row: (row["rank"] or 0, row["system"]))


def _intervals(
    values: Floats, spread: Floats | None, voters: int
) -> list[tuple[float | None, float | None, int | None, int | None]]:
    """Of each system: the interval of its rating, and its ranks."""
    if spread is None:
        return [(None, None, None, None)] * len(values)
    centred = np.eye(len(values)) - 1.0 / len(values)
    errors = np.sqrt(np.diag(centred @ spread @ centred))
    reach = student_t(voters - 1) * errors
    variances = np.diag(spread)
    differences = np.sqrt(np.maximum(variances[:, np.newaxis] + variances - 2.0 * spread, 0.0))
    leads = values[:, np.newaxis] - values
    with np.errstate(divide="ignore", invalid="ignore"):
        p = student_p(leads / differences, np.full(leads.shape, voters - 1.0))
    best, worst = simultaneous_ranks(p, leads)
    return list(
        zip(
            (values - reach).tolist(),
            (values + reach).tolist(),
            best.tolist(),
            worst.tolist(),
            strict=True,
        )
    )


def _unrated(system: int, votes: int) -> ArenaRow:
    return {
        "system": system,
        "votes": votes,
        "rating": None,
        "rank": None,
        "low": None,
        "high": None,
        "best": None,
        "worst": None,
        "not_rated": "not_connected" if votes else "no_votes",
    }
