from __future__ import annotations

from typing import Any

from django.db import models

from leaderboard.models.board import Board
from leaderboard.rules.json.packing import packed, unpacked
from leaderboard.rules.ranking.board_summaries import BoardSummary
from leaderboard.rules.statistics.certainties import Certainty


class BoardCertainty(models.Model):
    """How certain the order of a board is, computed by a worker for one version of the board.

    It is derived from the evidence of the attempts that count. `verdict` and `rows` contain codes
    and numbers and no text, see `rules.statistics.certainties`; `rows` is compressed JSON. `ranked`
    is the number of ranked rows of the board, of which the first are compared. A board without
    ranked rows has no verdict. `moves` says by how many ranks rows have risen (> 0) or fallen since
    a week ago, by their attempts (hexadecimal). `summary` is what the pictures of rows are drawn
    from, see `rules.ranking.board_summaries`; it is compressed JSON. `in_a_week` is how many
    attempts were submitted within a week. `records` are the attempts that were the best so far,
    with the tests that say which of them certainly were. `clustering` describes clusters of tasks,
    or those that their names suggest, see `rules.statistics.clustering`. `before` are the `rows` of
    an earlier version, until the users concerned have been told of their lost ranks; `told_at` is
    when that was done last.
    """

    board = models.OneToOneField(
        Board, models.CASCADE, primary_key=True, related_name="certainty", editable=False
    )
    version = models.PositiveBigIntegerField(editable=False)
    computed_at = models.DateTimeField(editable=False)
    verdict = models.JSONField(null=True, editable=False)
    ranked = models.PositiveIntegerField(default=0, editable=False)
    rows = models.BinaryField(default=b"", editable=False)
    moves = models.JSONField(
        default=dict,
        db_default=models.Value({}, output_field=models.JSONField()),
        editable=False,
    )

    summary = models.BinaryField(null=True, editable=False)
    records: models.JSONField[Any, Any] = models.JSONField(
        default=list,
        db_default=models.Value([], output_field=models.JSONField()),
        editable=False,
    )
    clustering: models.JSONField[Any, Any] = models.JSONField(null=True, editable=False)
    before = models.BinaryField(null=True, editable=False)
    told_at = models.DateTimeField(null=True, editable=False)
    in_a_week = models.PositiveIntegerField(default=0, db_default=0, editable=False)

    class Meta:
        verbose_name_plural = "board certainties"

    def __str__(self) -> str:
        return f"certainty of board {self.board_id}"

    def keep(self, certainty: Certainty) -> None:
        """Set the fields that `read` reads."""
        self.verdict, rows = certainty.as_json()
        self.rows = packed(rows)

    def read(self) -> Certainty | None:
        """The certainty; None for a board without ranked rows."""
        return (
            None if self.verdict is None else Certainty.of_json(self.verdict, unpacked(self.rows))
        )

    def keep_summary(self, summary: BoardSummary) -> None:
        """Set the fields that `read_summary` reads."""
        self.summary = packed(summary.as_json())
        self.in_a_week = summary.activity.in_a_week if summary.activity else 0

    def read_summary(self) -> BoardSummary:
        """The summary; an empty one if none is stored yet."""
        return BoardSummary.of_json(unpacked(self.summary)) if self.summary else BoardSummary()
