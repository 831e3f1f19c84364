"""Strengths of systems from votes about pairs of them: the model of Bradley and Terry (1952).

The chance that system i is preferred to j is σ(βᵢ − βⱼ). A tie counts half for either. The votes of
one voter resemble each other, so the covariance is the sandwich H⁻¹ (Σ sᵥ sᵥᵀ) H⁻¹ · V/(V − 1),
with H the Hessian and sᵥ the sum of the scores of the votes of one of V voters.

If a group of systems has never lost to the others, its strengths are infinite. So only the largest
strongly connected component of "was preferred at least once, or tied" is estimated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from leaderboard.rules.statistics.parts import Counts, Floats

STEPS: Final = 100
PRECISE: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Votes about pairs. first, second: numbers of systems from 0. outcomes: 1 if the first one was
    preferred, 0 if the second was, 0.5 for a tie. voters: a number for each voter."""

    first: Counts
    second: Counts
    outcomes: Floats
    voters: Counts

    def among(self, systems: Counts) -> Votes:
        """The votes about pairs of these systems, with their places as numbers."""
        places = np.full(max(self.first.max(), self.second.max(), systems.max()) + 1, -1)
        places[systems] = np.arange(systems.size)
        kept = (places[self.first] >= 0) & (places[self.second] >= 0)
        first, second = places[self.first[kept]], places[self.second[kept]]
        return Votes(first, second, self.outcomes[kept], self.voters[kept])

    def wins(self, systems: int) -> Floats:
        """How often each system was preferred to each other one."""
        wins = np.zeros((systems, systems))
        np.add.at(wins, (self.first, self.second), self.outcomes)
        np.add.at(wins, (self.second, self.first), 1.0 - self.outcomes)
        return wins


def largest_component(wins: Floats) -> Counts:
    """The systems of the largest group in which each was, over others, preferred to each."""
    reaches = (wins > 0.0) | np.eye(len(wins), dtype=bool)
    for _ in range(max(1, len(wins)).bit_length()):
        reaches = (reaches.astype(float) @ reaches.astype(float)) > 0.0
    mutual = reaches & reaches.T
    return np.flatnonzero(mutual[int(mutual.sum(axis=1).argmax())]) if len(wins) else np.arange(0)


def strengths(wins: Floats) -> Floats:
    """β of each system, 0 for the first, by Newton's method. wins: of one component."""
    systems, counts = len(wins), wins + wins.T
    beta = np.zeros(systems)
    for _ in range(STEPS):
        chances = _chances(beta)
        gradient = (wins - counts * chances).sum(axis=1)[1:]
        step = np.linalg.solve(_hessian(counts, chances), gradient)
        # A long step from the middle may overshoot.
        beta[1:] += step / max(1.0, float(np.abs(step).max(initial=0.0)))
        if np.abs(step).max(initial=0.0) < PRECISE:
            break
    return beta


def covariance(votes: Votes, beta: Floats) -> Floats:
    """The covariance of β, clustered by voters; zero for the first system. At least two voters."""
    systems = beta.size
    wins = votes.wins(systems)
    inverse = np.linalg.inv(_hessian(wins + wins.T, _chances(beta)))
    rest = votes.outcomes - 1.0 / (1.0 + np.exp(beta[votes.second] - beta[votes.first]))
    _, voters = np.unique(votes.voters, return_inverse=True)
    count = int(voters.max()) + 1
    scores = np.bincount(voters * systems + votes.first, rest, count * systems)
    scores -= np.bincount(voters * systems + votes.second, rest, count * systems)
    by_voter = scores.reshape(count, systems)[:, 1:]
    result = np.zeros((systems, systems))
    result[1:, 1:] = inverse @ (by_voter.T @ by_voter) @ inverse * count / (count - 1)
    return result


def _chances(beta: Floats) -> Floats:
    """The chance that each system (row) is preferred to each other one."""
    return np.asarray(1.0 / (1.0 + np.exp(beta - beta[:, np.newaxis])))


def _hessian(counts: Floats, chances: Floats) -> Floats:
    """Minus the second derivatives of the log likelihood, without the first system."""
    weights = counts * chances * (1.0 - chances)
    return np.asarray((np.diag(weights.sum(axis=1)) - weights)[1:, 1:])
