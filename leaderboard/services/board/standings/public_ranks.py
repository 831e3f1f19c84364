"""The ranks on the public tasks, kept when the final scores of a phase replace them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any
from uuid import UUID

from leaderboard.models import Board, PublicRank, ScoringConfig, Standing
from leaderboard.models.bulk import insert_rows
from leaderboard.rules.ranking.places import rank_key_of
from leaderboard.rules.ranking.standing_draft import ONE_ROW
from leaderboard.services.board.reading.rows import BoardRow

ROWS_PER_READ = 2000
FIELDS = ("phase", "participant", "slot", "rank", "value")


def keep_public_ranks(before: ScoringConfig, after: ScoringConfig) -> None:
    """Store the public ranks of the phases whose final scores the next version shows.

    Call it in the transaction that switches versions, while the board still shows `before`.
    """
    ended = after.final_parts.keys() - before.final_parts.keys()
    boards = Board.objects.of(before).filter(
        phase__in=map(int, ended), until=None, is_out_of_ranking=False
    )
    for board in boards.select_related("phase", "config"):
        PublicRank.objects.filter(phase=board.phase_id).delete()
        # Read before the COPY: the same connection cannot do both at once.
        insert_rows(PublicRank, FIELDS, list(_ranks(board)))


def has_finals(board: Board) -> bool:
    """Whether the final scores of the phase of a board have replaced those on public tasks."""
    return str(board.phase_id) in board.config.final_parts


class PublicRanks:
    """The public ranks of rows of one board, read when the first one is asked for."""

    def __init__(self, board: Board, rows: Sequence[BoardRow] | None = None) -> None:
        """rows: those that will be asked for; None: any of the board."""
        self._board = board
        self._rows = rows
        self.are_kept = has_finals(board)
        self._is_per_attempt = board.counting == "all"

    def of(self, row: BoardRow) -> PublicRank | None:
        """None for a row without a rank now or then, and before the final scores."""
        if row.rank is None or not self.are_kept:
            return None
        return self._by_row.get((row.participant.pk, self._slot(row)))

    def _slot(self, row: BoardRow) -> UUID | None:
        return row.attempt_id if self._is_per_attempt else ONE_ROW

    @cached_property
    def _by_row(self) -> dict[tuple[int, UUID | None], PublicRank]:
        kept = PublicRank.objects.filter(phase=self._board.phase_id)
        if self._rows is not None:
            kept = kept.filter(participant__in={row.participant.pk for row in self._rows})
        return {(public_rank.participant_id, public_rank.slot): public_rank for public_rank in kept}


def _ranks(board: Board) -> Iterator[tuple[Any, ...]]:
    """A row of `FIELDS` for each ranked standing of a board."""
    keys = board.config.ranked_keys
    standings = Standing.objects.of(board).ranked()
    placed = standings.values_list("sort_key", "participant", "slot", "values")
    rank, last = 0, None
    for position, (key, participant, slot, values) in enumerate(
        placed.iterator(chunk_size=ROWS_PER_READ), start=1
    ):
        place = rank_key_of(bytes(key))
        if place != last:
            rank, last = position, place
        value = values.get(keys[0]) if keys else None
        yield board.phase_id, participant, slot, rank, value
