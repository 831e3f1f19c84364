"""Strengths from votes; the expected numbers come from a logistic regression with clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leaderboard.rules.statistics.arenas import arena_rows
from leaderboard.rules.statistics.bradley_terry import (
    Votes,
    covariance,
    largest_component,
    strengths,
)


def votes(*rows: tuple[int, int, float, int]) -> Votes:
    first, second, outcomes, voters = (np.array(column) for column in zip(*rows, strict=True))
    return Votes(first, second, outcomes.astype(float), voters)


def test_two_systems_have_the_odds_of_their_votes() -> None:
    """7 of 10 votes, each of a voter: β = ln(7/3), and the sandwich is that of a binomial."""
    given = votes(*[(0, 1, float(at < 3), at) for at in range(10)])
    beta = strengths(given.wins(2))
    assert beta == pytest.approx([0.0, math.log(7 / 3)])
    variance = covariance(given, beta)[1, 1]
    assert variance == pytest.approx(10 / (10 * 10 * 0.7 * 0.3) * 10 / 9)


def test_votes_of_one_voter_are_one() -> None:
    """The same votes twice by each voter have the same error as once."""
    once = [(0, 1, float(at < 3), at) for at in range(10)]
    single, double = votes(*once), votes(*once, *once)
    beta = strengths(single.wins(2))
    assert covariance(double, beta) == pytest.approx(covariance(single, beta))


def test_the_likelihood_is_at_its_maximum() -> None:
    dice = np.random.default_rng(3)
    first = dice.integers(0, 5, 400)
    second = (first + dice.integers(1, 5, 400)) % 5
    given = Votes(first, second, dice.integers(0, 3, 400) / 2, dice.integers(0, 20, 400))
    wins = given.wins(5)
    beta = strengths(wins)
    chances = 1 / (1 + np.exp(beta - beta[:, np.newaxis]))
    assert (wins - (wins + wins.T) * chances).sum(axis=1) == pytest.approx(np.zeros(5), abs=1e-9)


def test_only_connected_systems_are_rated() -> None:
    given = votes((0, 1, 1.0, 0), (1, 0, 1.0, 1), (0, 2, 1.0, 2), (3, 3, 0.5, 3))
    assert largest_component(given.wins(4)).tolist() == [0, 1]
    rows = {row["system"]: row["not_rated"] for row in arena_rows(given, 5)}
    assert rows == {0: None, 1: None, 2: "not_connected", 3: "not_connected", 4: "no_votes"}
    assert {row["low"] for row in arena_rows(given, 5)} == {None}, "too few voters"
