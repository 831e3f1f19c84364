"""Standings derived in one pass equal those derived attempt by attempt."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from leaderboard.models import Challenge, Standing, Tenant
from leaderboard.rules.ranking.standing_draft import StandingDraft
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.standings.counting import (
    rebuild_standings,
    recount,
    verify_standings,
)
from leaderboard.services.board.standings.derivation import derived
from leaderboard.services.challenges.challenges import create_challenge
from tests.services.attempts.crowds import WAYS, count, crowd, plain_line, plainly_derived


@pytest.fixture(params=WAYS)
def board(request: pytest.FixtureRequest, tenant: Tenant) -> Challenge:
    fields = {"name": "Crowd", **WAYS[request.param]}
    return create_challenge(tenant=tenant, user=None, fields=fields)


def by_participant(lines: list[StandingDraft]) -> dict[int, dict[str, Any]]:
    return {line.participant_id: asdict(line) for line in lines}


def test_derived_standings_equal_the_expected_ones(board: Challenge) -> None:
    assert derived(board_at(board)) == []
    assert rebuild_standings(board) == 0
    crowd(board, participants=25, attempts=120, seed=1)
    expected = plainly_derived(board.shown)
    assert len(expected) > 20
    assert by_participant(derived(board_at(board))) == by_participant(list(expected.values()))
    for participant in list(expected)[:5]:
        (line,) = derived(board_at(board), participant)
        assert asdict(line) == asdict(expected[participant])


def test_one_pass_gives_what_counting_one_by_one_gives(board: Challenge) -> None:
    crowd(board, participants=12, attempts=60, seed=7)
    config = board.shown
    for score in config.scores.select_related("attempt"):
        count(board_at(board), [plain_line(config, score)])
    assert verify_standings(board) == []
    stored = list(Standing.objects.filter(board__config=config).order_by("sort_key").values())
    version = board_at(board).version
    assert rebuild_standings(board) == len(stored)
    assert board_at(board).version > version
    again = list(Standing.objects.filter(board__config=config).order_by("sort_key").values())
    assert [row | {"id": 0} for row in again] == [row | {"id": 0} for row in stored]
    recount(config, stored[0]["participant_id"])
    assert verify_standings(board) == []
