"""What sorted columns cost when scores are stored."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Standing, Tenant
from leaderboard.rules.ranking.standing_draft import StandingDraft
from leaderboard.services.board import buckets
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.standings import sorted_columns
from leaderboard.services.board.standings.sorted_columns import keep_columns
from leaderboard.services.challenges.challenges import create_challenge
from tests.people import tenant
from tests.services.attempts.crowds import WAYS, count, crowd, plain_line

__all__ = ["tenant"]


def test_only_a_better_attempt_on_a_board_with_columns_takes_one_more_statement(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sorted_columns, "LEAST", 4)
    fields = {"name": "Crowd", **WAYS["metrics"]}
    challenge = create_challenge(tenant=tenant, user=None, fields=fields)
    crowd(challenge, participants=8, attempts=24, seed=3)
    config = challenge.shown
    scores = list(config.scores.select_related("attempt"))
    lines = sorted((plain_line(config, score) for score in scores), key=pick_key, reverse=True)
    worst, *_, best = (line for line in lines if line.participant_id == lines[0].participant_id)

    board = board_at(challenge)

    def statements() -> list[int]:
        Standing.objects.filter(board=board).delete()
        buckets.build(board.pk)
        count(board, [replace(line) for line in lines if line is not best])
        found = []
        for line in (worst, best):
            with CaptureQueriesContext(connection) as caught:
                count(board, [replace(line)])
            found.append(len(caught))
        return found

    not_better, better = statements()
    assert keep_columns(challenge) > 0
    assert statements() == [not_better, better + 1]


def pick_key(line: StandingDraft) -> bytes:
    return line.place.pick_key
