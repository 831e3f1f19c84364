"""What an answer says about a board besides its rows."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.api.files.board_shapes import BoardJson
from leaderboard.api.files.boards import certainty_json, column_json, moment, rescoring_json
from leaderboard.columns import Column
from leaderboard.rules.visibility.view import Extent
from leaderboard.services.challenges.code_changes import held_at, visible_editions
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import VisibleCertainty


def state_json(
    board: VisibleBoard, columns: Sequence[Column], certain: VisibleCertainty | None
) -> BoardJson:
    challenge, totals = board.challenge, board.totals()
    hidden: BoardJson = {
        "challenge": challenge.slug,
        "phase": board.board.phase.slug,
        "frozen_since": moment(board.frozen_since) if board.frozen_since else None,
        "shown": "own" if board.view.board is Extent.OWN else "none",
        "version": 0,
        "scoring_version": challenge.shown.number,
        "newest_scoring_version": challenge.newest.number,
        "rescoring": None,
        "editions": len(visible_editions(challenge.shown, board.access)),
        "held": 0,
        "updated_at": None,
        "certainty": None,
        "total": None,
        "ranked": None,
        "columns": [column_json(column) for column in columns],
    }
    if totals is None:  # without everything that changes with the attempts of others
        return hidden
    changed_at = board.changed_at
    return {
        **hidden,
        "shown": "all",
        "version": challenge.board_version + board.state.version,
        "rescoring": rescoring_json(challenge, board.access),
        "held": held_at(challenge, board.access),
        "updated_at": moment(changed_at) if changed_at else None,
        "certainty": certainty_json(certain),
        "total": totals.total,
        "ranked": totals.ranked,
    }
