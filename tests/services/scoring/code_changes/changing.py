"""A scorer whose file changes, and the states and scores of a challenge's attempts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from leaderboard.models import Attempt, Challenge, ScoringConfig
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.editions import editions_of
from leaderboard.services.board.reading.ranking import page_after
from leaderboard.services.scoring import stateful
from leaderboard.services.scoring.outcomes import outcomes as scoring_outcomes
from leaderboard.services.scoring.rescoring import work_on
from tests.helpers.own_scorer import GIVES
from tests.plugin_files import write

ScoreOne = Callable[[Challenge, str], Attempt]
Make = Callable[[str], Challenge]


def gives(file: Path, score: float) -> None:
    write(file, GIVES.format(score=score))


def finish(challenge: Challenge) -> Challenge:
    """Work on the current rescore until it has ended, begun anew or stopped."""
    for _ in range(3):
        challenge.refresh_from_db()
        work_on(challenge.newest.pk)
    challenge.refresh_from_db()
    return challenge


def values(challenge: Challenge) -> dict[str, float]:
    """The scores of the board, by participant."""
    challenge.refresh_from_db()
    rows = [row for row in page_after(board_at(challenge)).rows if row.rank]
    return {row.participant.handle: row.values["score"] for row in rows}


def statuses() -> list[str]:
    return list(Attempt.objects.order_by("pk").values_list("status", flat=True))


def numbers(challenge: Challenge) -> list[int]:
    return [edition.scores for edition in editions_of(challenge.shown)]


def change_during_a_rescore(monkeypatch: pytest.MonkeyPatch, own: Path) -> None:
    """Let the scorer give 50 from the moment when a child scores the third batch of a rescore."""
    ask, asked = scoring_outcomes, list[bool]()

    def outcomes(config: ScoringConfig, attempts: Sequence[Any], *, fresh: bool) -> Any:
        asked.append(fresh)
        coming = ask(config, attempts, fresh=fresh)
        if not fresh and asked.count(False) == 3:
            yield next(coming)
            gives(own, 50.0)
        yield from coming

    monkeypatch.setattr(stateful, "outcomes", outcomes)
